import { hasWork, workMessage } from '../attention.ts';
import type { AppRecord, Attempt } from '../model.ts';
import { type AppChange, attemptId, loadApp } from '../records.ts';
import { type AliasState, type FunctionState, RuntimeError } from '../runtime/runtime.ts';
import { judged, withCondition } from '../work/conditions.ts';
import { applyReservation, observedWith, unseen } from '../work/reservation.ts';
import { hasLease, openSession, type Session } from '../work/session.ts';
import { isCalm } from './calm.ts';
import type { ReconcileDeps } from './types.ts';

interface Facts {
  readonly state: FunctionState | undefined;
  readonly alias: AliasState | undefined;
}

/**
 * A closer look at one app, and the repair of what differs, under the app's lease.
 * @returns whether the app was sent to the worker
 */
export async function inspect(deps: ReconcileDeps, name: string): Promise<boolean> {
  const app = await loadApp(deps, name);
  if (app === undefined || hasLease(app, deps.clock.now()) || !isCalm(app)) return false;
  if (!differs(app, await look(deps, name))) return false;
  const session = await openSession(deps, name);
  if (session === undefined) return false;
  try {
    // Again, now that nobody else changes it.
    await repair(deps, session, await look(deps, name));
  } finally {
    await session.release(() => ({}));
  }
  // What was asked for meanwhile found the lease taken, and its message is gone.
  const after = session.app();
  if (!hasWork(after)) return false;
  await deps.queue.send(...workMessage(after, 'looked at by reconcile'));
  return true;
}

async function look({ runtime }: ReconcileDeps, name: string): Promise<Facts> {
  const state = await runtime.find(name);
  return { state, alias: state && (await runtime.findAlias(name)) };
}

function differs(app: AppRecord, { state, alias }: Facts): boolean {
  if (state === undefined) return !isGivenUp(app);
  return (
    alias?.version !== app.live?.version ||
    state.reservedConcurrency !== wanted(app) ||
    state.codeSha256 !== codeOf(app, state)
  );
}

function wanted({ suspended, spec, conditions }: AppRecord): number | undefined {
  if (suspended) return 0;
  // Refused before: it is asked for again with the next start or deploy.
  const refused = conditions.some(({ type, status }) => type === 'Reservation' && status === 'False');
  return refused ? undefined : spec.reservedConcurrency;
}

function codeOf({ observed }: AppRecord, state: FunctionState): string {
  return observed?.codeSha256 ?? state.codeSha256;
}

async function repair(deps: ReconcileDeps, session: Session, { state, alias }: Facts): Promise<boolean> {
  const app = session.app();
  const { live } = app;
  if (live === undefined || !isCalm(app)) return false;
  if (state === undefined) return await redeploy(deps, session, 'function missing');
  const found: string[] = [];
  if (alias?.version !== live.version) {
    try {
      await deps.runtime.setAlias(app.name, live.version, alias?.revisionId);
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.code !== 'not_found') throw error;
      return await redeploy(deps, session, 'version missing');
    }
    found.push(`the alias was ${alias ? `at version ${alias.version}` : 'gone'} and is back at ${live.version}`);
  }
  if (state.codeSha256 !== codeOf(app, state)) {
    found.push('the code of $LATEST was changed; the next deploy replaces it, and no request reaches it');
  }
  const reserved = await repairReservation(deps, app, state, found);
  await session.save((present) => synced(deps, present, state, found, reserved));
  deps.log.warn('drift repaired', { app: app.name, found });
  return false;
}

async function repairReservation(
  deps: ReconcileDeps,
  app: AppRecord,
  { reservedConcurrency }: FunctionState,
  found: string[],
): Promise<(app: AppRecord) => AppChange> {
  const want = wanted(app);
  if (reservedConcurrency === want) return () => ({});
  found.push(`reserved concurrency was ${reservedConcurrency ?? 'not set'} and is ${want ?? 'not set'}`);
  if (!app.suspended) return await applyReservation(deps, app.name, want);
  await deps.runtime.setConcurrency(app.name, 0);
  return (present) => observedWith(present, 0);
}

function synced(
  { clock }: ReconcileDeps,
  app: AppRecord,
  { codeSha256 }: FunctionState,
  found: readonly string[],
  reserved: (app: AppRecord) => AppChange,
): AppChange {
  const now = clock.now();
  const message = `Changed outside of Roundhouse: ${found.join('; ')}.`;
  const facts = { status: 'True', reason: 'Repaired', message } as const;
  const seen = { ...app, ...(app.observed && { observed: { ...app.observed, codeSha256, at: now } }) };
  const change = { observed: seen.observed, ...reserved(seen) };
  return { ...change, conditions: withCondition(change.conditions ?? app.conditions, 'InSync', facts, now) };
}

/** Our own try to bring the release back has failed: only people can help, and they see why. */
function isGivenUp({ attempt, live }: AppRecord): boolean {
  const ours = attempt?.source === 'restart' && attempt.createdBy === undefined;
  return ours && attempt.status === 'failed' && attempt.queuedAt > (live?.since ?? 0);
}

/** A new attempt with code and settings of the live release; the worker makes what is missing. */
async function redeploy(deps: ReconcileDeps, session: Session, reason: string): Promise<boolean> {
  const { clock, random, log } = deps;
  if (isGivenUp(session.app())) return false;
  let made: string | undefined;
  await session.save((app) => {
    made = undefined;
    // Somebody asked for something meanwhile, which comes first.
    if (!isCalm(app)) return {};
    const attempt = attemptOf(app, clock.now(), random);
    made = attempt.id;
    const change = { attempt, nextAttempt: app.nextAttempt + 1, ...unseen(app, clock.now()) };
    return { ...change, ...judged({ ...app, ...change } as AppRecord, clock.now()) };
  });
  if (made !== undefined) log.warn('release is made anew', { app: session.app().name, reason });
  return made !== undefined;
}

function attemptOf(app: AppRecord, now: number, random: () => number): Attempt {
  const { live, nextAttempt: number, generation, suspended } = app;
  if (live === undefined) throw new Error(`${app.name} has no release`);
  const { image, settings, code } = live;
  return {
    id: attemptId(
      number,
      Uint8Array.from({ length: 5 }, () => Math.floor(random() * 256)),
    ),
    number,
    source: 'restart',
    status: 'queued',
    steps: [],
    image,
    settings,
    code,
    generation,
    queuedAt: now,
    ...(suspended && { waitReason: 'suspended' as const }),
  };
}
