import { hasWork } from '../attention.ts';
import type { AppRecord } from '../model.ts';

/** Has a release and no work to be done: what differs then is nobody's half-done work. */
export function isCalm(app: AppRecord): boolean {
  return app.live !== undefined && !hasWork(app);
}
