import { hasWork } from '../attention.ts';
import { type AppRecord, isFinal } from '../model.ts';

/** Has a release, no work to be done and no deploy that waits: what differs then is nobody's half-done work. */
export function isCalm(app: AppRecord): boolean {
  return app.live !== undefined && !hasWork(app) && (app.attempt === undefined || isFinal(app.attempt));
}
