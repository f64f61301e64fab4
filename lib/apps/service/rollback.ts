import { AppError } from '../../errors.ts';
import { FAILURES } from '../failures.ts';
import type { AppRecord, Attempt, Code } from '../model.ts';
import type { Caller } from '../types.ts';
import { imageWithout, startAttempt } from './attempts.ts';
import { change } from './change.ts';
import { requireAttempt } from './deploys.ts';
import type { AppServiceDeps } from './deps.ts';
import { ask } from './upstream.ts';

/**
 * A new attempt with code and settings of an earlier release (R18). Its version of the function is used again if it is
 * still there; else the code is published anew, and must be there.
 */
export async function rollBack(deps: AppServiceDeps, name: string, id: string, caller: Caller): Promise<AppRecord> {
  return await change(deps, name, { reason: 'rollback' }, async (app) => {
    const target = await requireAttempt(deps, app, id);
    const { release, code } = target;
    if (target.status !== 'succeeded' || release === undefined || code === undefined) throw noRelease(name, target);
    const version = await findVersion(deps, name, target);
    if (version === undefined || code.kind === 'image') await requireCode(deps, name, target, code);
    const started = startAttempt(
      deps,
      app,
      {
        source: 'rollback',
        image: target.image,
        code,
        settings: target.settings,
        ...(version !== undefined && { version }),
        rollbackOf: { deployId: target.id, release, ...(app.live && { fromRelease: app.live.number }) },
        ...rotatedSince(app, target),
      },
      caller,
    );
    // The spec gets image and settings of the release when that is live; one that gave way takes its image along now.
    return { ...started, spec: { ...app.spec, image: imageWithout(app, started.ended) } };
  });
}

async function findVersion({ runtime }: AppServiceDeps, app: string, { version, pruned }: Attempt) {
  if (version === undefined || pruned) return undefined;
  const found = await ask(runtime.findVersion(app, version));
  return found === undefined || found.state === 'Failed' ? undefined : version;
}

/** An image must be there even if its version is: Lambda reads it again after weeks without a request. */
async function requireCode(deps: AppServiceDeps, app: string, target: Attempt, code: Code): Promise<void> {
  const { artifacts, images } = deps;
  const there =
    code.kind === 'image'
      ? await ask(images.exists(code))
      : await ask(artifacts.exists(app, code.artifact, code.versionId));
  if (there) return;
  const what = code.kind === 'image' ? `its image ${code.uri} (${code.digest})` : `its package ${code.artifact}`;
  const cause = `The app ${app} cannot go back to release ${target.release} (${target.id}): ${what} is gone.`;
  const { fix, retryable } = FAILURES.rollback_target_gone;
  const failure = { code: 'rollback_target_gone', cause, suggested_fix: fix, retryable };
  throw new AppError('CONFLICT', `${cause} Nothing was changed. ${fix}`, { failure });
}

/** Secrets are not part of a release: those that are newer than it keep their value, and are named. */
function rotatedSince({ secrets }: AppRecord, { finishedAt, queuedAt }: Attempt) {
  const wentLive = finishedAt ?? queuedAt;
  const rotated = Object.keys(secrets).filter((key) => (secrets[key]?.updatedAt ?? 0) > wentLive);
  return rotated.length === 0 ? {} : { rotatedSecrets: rotated.sort() };
}

function noRelease(app: string, { id, status }: Attempt): AppError {
  const text = `The app ${app} cannot go back to the deploy ${id}: it is ${status}, so it made no release.`;
  return new AppError('CONFLICT', `${text} GET /api/v1/apps/${app}/deploys lists those that succeeded.`);
}
