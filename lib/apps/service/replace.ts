import { isDeepStrictEqual } from 'node:util';
import type { AppRecord, AppSpec } from '../model.ts';
import { settingsOf } from '../settings.ts';
import { parseImage } from '../spec/image.ts';
import type { AppResult, Caller, CheckedSpec } from '../types.ts';
import { startAttempt } from './attempts.ts';
import { change, desired } from './change.ts';
import { checkKind, findCode } from './code.ts';
import { checkConcurrency } from './concurrency.ts';
import type { AppServiceDeps } from './deps.ts';
import { createClaimSet, readClaims, releaseClaims } from './domains.ts';
import { warningsFor } from './warnings.ts';

/**
 * PUT of an app: its spec is replaced, and nothing else. New domains are claimed before the app lists them, and those that
 * are dropped are released after it no longer does, so that no listed domain is ever without its claim.
 */
export async function replaceSpec(
  deps: AppServiceDeps,
  name: string,
  input: CheckedSpec,
  caller: Caller,
  ifMatch: string | undefined,
): Promise<AppResult> {
  const { spec } = input;
  const claims = createClaimSet(deps);
  let dropped: Awaited<ReturnType<typeof readClaims>> = [];
  try {
    const app = await change(deps, name, { ifMatch, reason: 'replace' }, async (before) => {
      if (isDeepStrictEqual(before.spec, spec)) return undefined;
      const verdict = await replaceIn(deps, before, spec, caller);
      await claims.add(before, missingFrom(before.spec.domains, spec.domains));
      dropped = await readClaims(deps, before, missingFrom(spec.domains, before.spec.domains));
      return verdict;
    });
    await releaseClaims(deps, dropped);
    return { app, warnings: warningsFor(input, app, deps.account) };
  } catch (error) {
    await claims.undoAfter(error);
    throw error;
  }
}

/** Only a new image that can be deployed makes an attempt. Other settings wait for one: `env_dirty` tells. */
async function replaceIn(deps: AppServiceDeps, app: AppRecord, spec: AppSpec, caller: Caller) {
  await checkConcurrency(deps, app.name, spec.reservedConcurrency, app.spec.reservedConcurrency);
  const isNew = spec.image !== app.spec.image;
  if (!isNew || parseImage(spec.image, deps.account).kind === 'pending') return { ...desired(app), spec };
  checkKind(app, spec);
  const code = await findCode(deps, app.name, spec.image);
  return { spec, ...startAttempt(deps, app, { ...code, settings: settingsOf(spec) }, caller) };
}

function missingFrom(some: readonly string[], all: readonly string[]): string[] {
  return all.filter((domain) => !some.includes(domain));
}
