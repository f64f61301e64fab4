import { workMessage } from '../attention.ts';
import { type AppRecord, isFinal } from '../model.ts';
import { type AppChange, loadApp } from '../records.ts';
import { runStep } from './attempt.ts';
import { nextRetry } from './backoff.ts';
import { endedWithout } from './ending.ts';
import { finalize } from './finalizer.ts';
import { loseAttempt } from './lost.ts';
import { openSession } from './session.ts';
import { Later, LeaseLost, OutOfTime, Replaced } from './signals.ts';
import { switchApp } from './switch.ts';
import { nextTask, type Task } from './tasks.ts';
import type { Outcome, WorkerDeps } from './types.ts';
import type { Visit } from './visit.ts';

/** What a message keeps free for the last save and the next message. */
const RESERVE_MS = 15_000;

export interface Worker {
  /**
   * Looks at an app and does what it needs, until it is as it should be or the time is nearly over. Safe to call any number
   * of times, by any number of workers.
   * @param remainingMs until the function ends
   */
  work(app: string, remainingMs: number): Promise<Outcome>;
  /**
   * Ends the attempt whose message came to the dead-letter queue, if a worker had begun it, and goes on as `work`.
   * @param attempt its id; the app's own when the message names none
   */
  lose(app: string, remainingMs: number, attempt?: string): Promise<Outcome>;
}

export function createWorker(deps: WorkerDeps): Worker {
  const visit = async (
    name: string,
    remainingMs: number,
    run: (visit: Visit) => Promise<Outcome>,
  ): Promise<Outcome> => {
    const app = await loadApp(deps, name);
    if (app === undefined || nextTask(app) === undefined) return 'done';
    const deadline = deps.clock.now() + remainingMs - RESERVE_MS;
    const session = await openSession(deps, name);
    // Who has the lease sees whatever was written since; the index has the end of it.
    if (session === undefined) return 'later';
    try {
      return await run({ deps, session, deadline, memo: {} });
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      deps.log.warn('lease lost', { app: name });
      return 'later';
    }
  };
  return {
    work: (name, remainingMs) => visit(name, remainingMs, converge),
    lose: (name, remainingMs, attempt) =>
      visit(name, remainingMs, async (lost) => {
        await loseAttempt(lost, attempt);
        return await converge(lost);
      }),
  };
}

/** Task after task, in the order of {@link nextTask}. */
async function converge(visit: Visit): Promise<Outcome> {
  const { deps, session, deadline } = visit;
  for (;;) {
    const task = nextTask(session.app());
    if (task === undefined) {
      if (await session.release((app) => (nextTask(app) === undefined ? {} : undefined))) return 'done';
      continue;
    }
    if (deps.clock.now() >= deadline) return await handOver(visit);
    try {
      if ((await TASKS[task](visit)) === 'gone') return 'done';
    } catch (error) {
      if (error instanceof OutOfTime) return await handOver(visit);
      if (error instanceof Later) return await postpone(visit, error.message);
      if (!(error instanceof Replaced)) throw error;
      visit = { ...visit, memo: {} };
    }
  }
}

/** `gone`: the app's item is not there any more. */
const TASKS: Readonly<Record<Task, (visit: Visit) => Promise<'gone' | undefined>>> = {
  delete: async (visit) => ((await finalize(visit)) ? 'gone' : undefined),
  switch: async (visit) => void (await switchApp(visit)),
  cancel: async ({ deps, session }) => {
    await session.save((app) => canceled(app, deps.clock.now()));
    return undefined;
  },
  park: async ({ session }) => {
    await session.save(parked);
    return undefined;
  },
  step: async (visit) => void (await runStep(visit)),
};

function canceled(app: AppRecord, now: number): AppChange {
  const { attempt } = app;
  if (nextTask(app) !== 'cancel' || attempt === undefined) return {};
  return endedWithout(app, attempt, { status: 'canceled', canceledBy: attempt.cancelRequestedBy }, now);
}

/** Back to the queue until the app is started; a step that had begun begins again then. */
function parked(app: AppRecord): AppChange {
  const { attempt } = app;
  if (nextTask(app) !== 'park' || attempt === undefined || isFinal(attempt)) return {};
  const steps = attempt.steps.filter(({ finishedAt }) => finishedAt !== undefined);
  const { step: _step, ...rest } = attempt;
  const last = steps.at(-1)?.step;
  return { attempt: { ...rest, ...(last && { step: last }), steps, status: 'queued', waitReason: 'suspended' } };
}

async function handOver({ deps, session }: Visit): Promise<Outcome> {
  await session.release(() => ({}));
  const app = session.app();
  const [message] = workMessage(app, 'goes on');
  await deps.queue.send(message, continuationOf(app));
  return 'again';
}

async function postpone({ deps, session }: Visit, reason: string): Promise<Outcome> {
  await session.release((app) => ({ retry: nextRetry(app, reason, deps.clock.now(), deps.random) }));
  deps.log.warn('work is postponed', { app: session.app().name, retry: session.app().retry?.count });
  return 'later';
}

/** A number of the item's versions is used once, so no later message is taken for this one. */
function continuationOf({ name, attempt, version }: AppRecord): string {
  return `${name}.${attempt?.id ?? 'app'}.${attempt?.step ?? 'none'}.${version}`;
}
