import { isDeepStrictEqual } from 'node:util';
import type { AppRecord, ReleaseSettings } from './model.ts';

/** The part of a spec that a release is made of. */
export function settingsOf(spec: ReleaseSettings): ReleaseSettings {
  return {
    port: spec.port,
    env: { ...spec.env },
    memoryMb: spec.memoryMb,
    timeoutSeconds: spec.timeoutSeconds,
    runtime: spec.runtime,
    handler: spec.handler,
    architecture: spec.architecture,
    ...(spec.readiness && { readiness: { ...spec.readiness } }),
  };
}

/** Whether a restart would change what serves: other settings, or secrets that are newer than the live release. */
export function isDirty({ spec, live, secrets }: Pick<AppRecord, 'spec' | 'live' | 'secrets'>): boolean {
  if (live === undefined) return false;
  if (!isDeepStrictEqual(settingsOf(spec), settingsOf(live.settings))) return true;
  return Object.values(secrets).some(({ updatedAt }) => updatedAt > live.since);
}
