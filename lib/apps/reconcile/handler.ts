import { runDriftPass } from './drift-pass.ts';
import { runFastPass } from './fast-pass.ts';
import { PASSES, type PassName, type ReconcileDeps } from './types.ts';

/** What the schedules send. */
export interface PassEvent {
  readonly pass?: string;
}

/** What the pass keeps free of the function's time. */
const RESERVE_MS = 10_000;

/** Runs the pass that the event names. Rejects for another name, and when the table or the list of functions cannot be read. */
export function createReconcileHandler(deps: ReconcileDeps) {
  const { clock, log, telemetry } = deps;
  return async ({ pass }: PassEvent, context: { getRemainingTimeInMillis(): number }): Promise<void> => {
    if (!isPass(pass))
      throw new Error(`expected {"pass": "fast"} or {"pass": "drift"}, not ${JSON.stringify(pass)?.slice(0, 40)}`);
    const from = clock.now();
    const deadline = from + context.getRemainingTimeInMillis() - RESERVE_MS;
    const result = await (pass === 'fast' ? runFastPass(deps) : runDriftPass(deps, deadline));
    if (result === undefined) {
      log.info('pass left out', { pass, reason: 'another one runs or has just run' });
      return;
    }
    const record = { pass, durationMs: clock.now() - from, ...result };
    telemetry?.pass(record);
    log.info('pass ended', record);
  };
}

function isPass(text: string | undefined): text is PassName {
  return PASSES.some((pass) => pass === text);
}
