import { appPartition, DOMAINS } from '../../store/keys.ts';
import { ConditionFailed } from '../../store/ports.ts';
import { type AppRecord, type Deletion, isFinal } from '../model.ts';
import { AppChanged, removeApp } from '../records.ts';
import { functionName } from '../runtime/names.ts';
import { RuntimeError } from '../runtime/runtime.ts';
import { endedWithout } from './ending.ts';
import { Later, OutOfTime } from './signals.ts';
import { retried } from './transient.ts';
import type { WorkerDeps } from './types.ts';
import type { Visit } from './visit.ts';

/** One thing to remove. No error when it is gone already. */
interface Removal {
  /** What people look for when it stays. */
  readonly resource: (app: string, deps: WorkerDeps) => string;
  /** Still uses what the later ones remove: they wait for it. */
  readonly first?: true;
  readonly needsFunctionGone?: true;
  readonly run: (app: AppRecord, deps: WorkerDeps) => Promise<void>;
}

/** In this order: traffic ends before anything else, and what the function uses goes after it. */
const REMOVALS: readonly Removal[] = [
  {
    resource: (app, { settings }) => `function ${functionName(settings.stage, app)}`,
    first: true,
    run: async ({ name }, { runtime }) => {
      await runtime.setConcurrency(name, 0).catch(ignoreMissing);
      await runtime.remove(name);
    },
  },
  {
    resource: (app, { logGroups }) => `log group ${logGroups.nameOf(app)}`,
    needsFunctionGone: true,
    run: ({ name }, { logGroups }) => logGroups.remove(name),
  },
  {
    resource: (app, { settings }) => `role ${functionName(settings.stage, app)}`,
    needsFunctionGone: true,
    run: ({ name }, { roles }) => roles.remove(name),
  },
  {
    resource: (app, { secretValues }) => `parameters under ${secretValues.pathOf(app)}`,
    // By name first: a parameter that was put just now may not be in the list yet.
    run: async ({ name, secrets }, { secretValues }) => {
      for (const key of Object.keys(secrets)) await secretValues.remove(name, key);
      await secretValues.removeAll(name);
    },
  },
  { resource: (app) => `packages of ${app}`, run: ({ name }, { artifacts }) => artifacts.removeAll(name) },
  { resource: (app) => `claims of domains of ${app}`, run: removeClaims },
  { resource: (app) => `history of ${app}`, run: removeHistory },
];

/**
 * Removes an app with all that belongs to it, its item last; until then the name is taken. What AWS refuses is listed in
 * the item and tried again. It keeps no note of where it is: every removal may run again. (R44)
 *
 * @returns false when the item changed at the last moment: look again
 */
export async function finalize(visit: Visit): Promise<boolean> {
  const { deps, session, deadline } = visit;
  const now = deps.clock.now();
  await session.save((app) => cancelAttempt(app, now));
  const { name } = session.app();
  const leftovers: Deletion['leftovers'][number][] = [];
  let functionGone = true;
  for (const removal of REMOVALS) {
    if (deps.clock.now() > deadline) throw new OutOfTime();
    const resource = removal.resource(name, deps);
    if (removal.needsFunctionGone && !functionGone) {
      leftovers.push({ resource, reason: 'waits until the function is gone' });
      continue;
    }
    try {
      await retried(visit, () => removal.run(session.app(), deps));
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      if (removal.first) functionGone = false;
      leftovers.push({ resource, reason: `${error.code}: ${error.message}` });
    }
  }
  if (leftovers.length > 0) return await leave(visit, leftovers);
  try {
    await removeApp(deps, session.app());
    deps.log.info('app removed', { app: name });
    return true;
  } catch (error) {
    if (!(error instanceof AppChanged)) throw error;
    await session.save(() => ({}));
    return false;
  }
}

async function leave({ deps, session }: Visit, leftovers: Deletion['leftovers']): Promise<never> {
  const { name } = session.app();
  await session.save(({ deletion }) => ({ deletion: deletion && { ...deletion, leftovers } }));
  deps.log.warn('app cannot be removed yet', { app: name, leftovers: leftovers.map(({ resource }) => resource) });
  throw new Later(`${leftovers.length} things could not be removed`);
}

function cancelAttempt(app: AppRecord, now: number) {
  const { attempt, deletion } = app;
  if (attempt === undefined || isFinal(attempt)) return {};
  return endedWithout(app, attempt, { status: 'canceled', canceledBy: deletion?.requestedBy }, now);
}

/** All claims are read, not only those that the app's item names: a claim is made before the item knows of it. */
async function removeClaims({ appId }: AppRecord, { store }: WorkerDeps): Promise<void> {
  for (const claim of await store.query({ pk: DOMAINS })) {
    const { pk, sk, claimId } = claim;
    if (claim['appId'] !== appId || typeof claimId !== 'string') continue;
    try {
      await store.remove({ pk, sk }, { attribute: 'claimId', equals: claimId });
    } catch (error) {
      // It was claimed anew in between, by another app: a deletion lets no more claims be made for this one.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

async function removeHistory({ name }: AppRecord, { store }: WorkerDeps): Promise<void> {
  const items = await store.query({ pk: appPartition(name) });
  await store.writeMany(items.map(({ pk, sk }) => ({ remove: { pk, sk } })));
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof RuntimeError) || error.code !== 'not_found') throw error;
}
