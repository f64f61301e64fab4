import type { AppRecord } from '../model.ts';
import { envNameFault, envSizeFault, envValueFault } from '../spec/env.ts';
import { createFindings } from '../spec/problems.ts';
import { change, desired } from './change.ts';
import type { AppServiceDeps } from './deps.ts';

const WHAT = 'the variables are not valid';

/** Sets and removes single variables. They reach the app with its next attempt. */
export async function changeEnv(
  deps: AppServiceDeps,
  name: string,
  changes: Readonly<Record<string, string | null>>,
  ifMatch: string | undefined,
): Promise<AppRecord> {
  return await change(deps, name, { ifMatch, reason: 'env' }, (app) => {
    const env = { ...app.spec.env };
    const findings = createFindings(WHAT);
    let changed = false;
    for (const [key, value] of Object.entries(changes)) {
      const before = Object.hasOwn(env, key) ? env[key] : undefined;
      // Names that are refused today may be there from a time when they were not: they can be removed.
      const fault = value === null ? undefined : (envNameFault(key) ?? envValueFault(value));
      if (fault !== undefined) findings.wrong([key], fault);
      else if (value !== null) env[key] = value;
      else delete env[key];
      changed ||= before !== (value ?? undefined);
    }
    const size = envSizeFault(name, { ...app.spec, env }, deps.secretValues.pathOf(name));
    if (size !== undefined) findings.wrong([], size);
    findings.check();
    return changed ? { ...desired(app), spec: { ...app.spec, env } } : undefined;
  });
}
