import { AppError } from '../../errors.ts';
import type { AppRecord } from '../model.ts';
import { AppChanged, type AppDraft, createApp, loadApp } from '../records.ts';
import { settingsOf } from '../settings.ts';
import { parseImage } from '../spec/image.ts';
import type { AppResult, Caller, CheckedSpec } from '../types.ts';
import { startAttempt } from './attempts.ts';
import { conditionsOf, deletionConflict, sendWork } from './change.ts';
import { type CodeSource, findCode } from './code.ts';
import { checkConcurrency } from './concurrency.ts';
import type { AppServiceDeps } from './deps.ts';
import { createClaimSet } from './domains.ts';
import { warningsFor } from './warnings.ts';

/** Claims the domains, then writes the app: who wins the name wins it all. */
export async function createNew(
  deps: AppServiceDeps,
  name: string,
  input: CheckedSpec,
  caller: Caller,
): Promise<AppResult> {
  const present = await loadApp(deps, name);
  if (present !== undefined) throw exists(present);
  const code = await codeOf(deps, name, input.spec.image);
  await checkConcurrency(deps, name, input.spec.reservedConcurrency);
  const draft = draftOf(deps, name, input, code, caller);
  const claims = createClaimSet(deps);
  try {
    await claims.add(draft, input.spec.domains);
    const app = await createApp(deps, draft);
    await sendWork(deps, app, 'create');
    return { app, warnings: warningsFor(input, app, deps.account) };
  } catch (error) {
    await claims.undoAfter(error);
    throw error instanceof AppChanged ? exists((await loadApp(deps, name)) ?? { name }) : error;
  }
}

/** Undefined for code that comes later, and for an image that can never run: a warning says so. */
async function codeOf(deps: AppServiceDeps, name: string, image: string): Promise<CodeSource | undefined> {
  const { kind } = parseImage(image, deps.account);
  return kind === 'image' || kind === 'zip' ? await findCode(deps, name, image) : undefined;
}

function draftOf(
  deps: AppServiceDeps,
  name: string,
  { spec }: CheckedSpec,
  code: CodeSource | undefined,
  caller: Caller,
): AppDraft {
  const now = deps.clock.now();
  const draft: AppDraft = {
    name,
    appId: `app_${Buffer.from(deps.random(9)).toString('base64url')}`,
    generation: code === undefined ? 1 : 0,
    createdAt: now,
    spec,
    suspended: false,
    secrets: {},
    nextAttempt: 1,
    lastRelease: 0,
    conditions: [],
    ...(code?.code && { hasBelongings: true }),
  };
  if (code === undefined) return draft;
  const { attempt, generation, nextAttempt } = startAttempt(
    deps,
    draft,
    { ...code, settings: settingsOf(spec) },
    caller,
  );
  const started = { ...draft, attempt, generation, nextAttempt };
  return { ...started, conditions: conditionsOf(started, now) };
}

function exists(app: Pick<AppRecord, 'name' | 'deletion'>): AppError {
  const how = `Choose another name, or change it by PUT /api/v1/apps/${app.name}.`;
  return deletionConflict(app) ?? new AppError('CONFLICT', `There is an app ${app.name} already. ${how}`);
}
