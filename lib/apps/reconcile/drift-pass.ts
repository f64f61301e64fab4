import type { AppRecord } from '../model.ts';
import { loadApps } from '../records.ts';
import type { FunctionSummary } from '../runtime/runtime.ts';
import { hasLease } from '../work/session.ts';
import { isCalm } from './calm.ts';
import { countCalls } from './count-calls.ts';
import { takePass } from './pass-lease.ts';
import { inspect } from './repair.ts';
import type { PassResult, ReconcileDeps } from './types.ts';

const DRIFT_EVERY_MS = 15 * 60_000;
const LEASE_MS = 10 * 60_000;
/** Apps that are looked at more closely in each pass, whatever the list says: all of 500 in six hours. */
const SLICE = 20;

/**
 * Holds what runs against what should run: all functions listed once, all apps read once, then a closer look at those that
 * differ and at a slice that moves on from pass to pass. Functions of the stage that belong to no app are told, never removed.
 */
export async function runDriftPass(deps: ReconcileDeps, deadline: number): Promise<PassResult> {
  const { clock, log } = deps;
  if (!(await takePass(deps, 'drift', LEASE_MS))) return undefined;
  const { runtime, count } = countCalls(deps.runtime);
  const [functions, apps] = await Promise.all([runtime.list(), loadApps(deps)]);
  tellOrphans(functions, apps, log);
  const listed = new Map(functions.map((summary) => [summary.app, summary]));
  let sent = 0;
  for (const { name } of chosen(apps, listed, clock.now())) {
    if (clock.now() > deadline) {
      log.warn('drift pass ended early', { reason: 'time', calls: count() });
      break;
    }
    try {
      if (await inspect({ ...deps, runtime }, name)) sent += 1;
    } catch (error) {
      log.error('app not looked at', { app: name, error_name: error instanceof Error ? error.name : 'unknown' });
    }
  }
  return { calls: count() + sent, sent };
}

/** Those that the list shows as not what we left, then the slice of this pass. */
function chosen(
  apps: readonly AppRecord[],
  listed: ReadonlyMap<string, FunctionSummary>,
  now: number,
): readonly AppRecord[] {
  const calm = apps.filter((app) => isCalm(app) && !hasLease(app, now));
  const slices = Math.max(1, Math.ceil(calm.length / SLICE));
  const start = (Math.floor(now / DRIFT_EVERY_MS) % slices) * SLICE;
  const changed = calm.filter(({ name, observed }) => {
    const summary = listed.get(name);
    return summary === undefined || (observed?.codeSha256 !== undefined && summary.codeSha256 !== observed.codeSha256);
  });
  return [...new Set([...changed, ...calm.slice(start, start + SLICE)])];
}

function tellOrphans(
  functions: readonly FunctionSummary[],
  apps: readonly AppRecord[],
  log: ReconcileDeps['log'],
): void {
  const names = new Set(apps.map(({ name }) => name));
  const orphans = functions.filter(({ app }) => !names.has(app));
  if (orphans.length === 0) return;
  log.warn('functions without an app', {
    count: orphans.length,
    functions: orphans.slice(0, 20).map(({ arn }) => arn),
  });
}
