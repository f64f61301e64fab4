import { ATTENTION, WORK_PREFIX, workMessage, workSort } from '../attention.ts';
import { readApp } from '../records.ts';
import { takePass } from './pass-lease.ts';
import type { PassResult, ReconcileDeps } from './types.ts';

const LEASE_MS = 50_000;
/** Messages under way at a time. */
const PARALLEL = 16;

/**
 * Sends every app that is due to the worker: what was asked for and never taken, what waits for its next try, what a lost
 * worker left. One Query of the sparse index, whatever the number of apps; apps that are as they should be are not in it.
 */
export async function runFastPass(deps: ReconcileDeps): Promise<PassResult> {
  const { store, clock, queue, log } = deps;
  if (!(await takePass(deps, 'fast', LEASE_MS))) return undefined;
  const due = await store.query({
    pk: ATTENTION,
    index: 'attention',
    sk: { from: WORK_PREFIX, to: workSort(clock.now()) },
  });
  let sent = 0;
  for (let start = 0; start < due.length; start += PARALLEL) {
    const sending = due.slice(start, start + PARALLEL).map(async (item) => {
      const app = readApp(item);
      try {
        // The same message twice is one, until something about the app has changed.
        await queue.send(...workMessage(app, 'due'));
        sent += 1;
      } catch (error) {
        log.error('app not sent to the worker', {
          app: app.name,
          error_name: error instanceof Error ? error.name : 'unknown',
        });
      }
    });
    await Promise.all(sending);
  }
  return { calls: due.length, sent };
}
