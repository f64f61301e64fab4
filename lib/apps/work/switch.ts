import type { AppRecord } from '../model.ts';
import type { AppChange } from '../records.ts';
import { RuntimeError } from '../runtime/runtime.ts';
import { judged, withCondition } from './conditions.ts';
import { applyReservation, observedWith, unseen } from './reservation.ts';
import { Later } from './signals.ts';
import { budgetOf, retried } from './transient.ts';
import type { Visit } from './visit.ts';

/** Stops or starts the app: reserved concurrency 0, or what the spec wants of it. Twice is as once. */
export async function switchApp(visit: Visit): Promise<void> {
  const { deps, session } = visit;
  const { name, suspended, spec } = session.app();
  try {
    const seen = await retried(visit, async () => {
      if (!suspended) return await applyReservation(deps, name, spec.reservedConcurrency);
      await deps.runtime.setConcurrency(name, 0);
      return (app: AppRecord) => observedWith(app, 0);
    });
    await session.save((app) => {
      const { observed, ...rest } = { retry: undefined, ...seen(app) };
      // Settings that wait for a deploy are shown as such, whatever this says.
      const generation = app.suspended === suspended ? app.generation : observed?.generation;
      const change = { ...rest, observed: observed && { ...observed, generation: generation ?? 0 } };
      return { ...change, ...judged({ ...app, ...change } as AppRecord, deps.clock.now()) };
    });
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    if (error.code === 'not_found') await session.save((app) => missing(app, deps.clock.now()));
    else await refused(visit, error);
  }
}

/** What is not there is neither stopped nor started; the drift pass makes it again. */
function missing(app: AppRecord, now: number): AppChange {
  const change = { retry: undefined, ...unseen(app, now) };
  return { ...change, ...judged({ ...app, ...change } as AppRecord, now) };
}

async function refused({ deps, session }: Visit, error: RuntimeError): Promise<never> {
  const { suspended } = session.app();
  if (budgetOf(error) === undefined) {
    const message = `AWS refused it: ${error.message} It is tried again.`;
    const facts = { status: 'False', reason: suspended ? 'SuspendFailed' : 'StartFailed', message } as const;
    await session.save(({ conditions }) => ({
      conditions: withCondition(conditions, 'Ready', facts, deps.clock.now()),
    }));
  }
  throw new Later(`${suspended ? 'stop' : 'start'}: ${error.message}`);
}
