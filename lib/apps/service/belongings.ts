import { change } from './change.ts';
import type { AppServiceDeps } from './deps.ts';

/** Says on the app that something is kept elsewhere for it, before it is: a deletion then looks for it. */
export async function markBelongings(deps: AppServiceDeps, name: string): Promise<void> {
  await change(deps, name, { reason: 'belongings' }, (app) =>
    app.hasBelongings ? undefined : { hasBelongings: true },
  );
}
