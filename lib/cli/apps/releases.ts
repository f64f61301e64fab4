import { AppError } from '../../errors.ts';
import type { Apps } from './api.ts';

/** The most that the API gives at once; older releases are not kept. */
const LOOK_BACK = 500;

/**
 * The deploy that made a release.
 * @param wanted its number, the id of its deploy, or nothing: the release before the live one
 * @throws AppError NOT_FOUND with the releases that there are
 */
export async function findRelease(apps: Apps, name: string, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined && !/^\d+$/.test(wanted)) return wanted;
  const [{ live }, attempts] = await Promise.all([apps.get(name), apps.attempts(name, LOOK_BACK)]);
  const releases = attempts.flatMap(({ id, status, release }) =>
    status === 'succeeded' && release !== undefined ? [{ id, release }] : [],
  );
  const earlier = releases.filter(({ release }) => live === undefined || release < live.release);
  const found =
    wanted === undefined
      ? earlier.toSorted((a, b) => b.release - a.release)[0]
      : releases.find(({ release }) => release === Number(wanted));
  if (found !== undefined) return found.id;
  const what = wanted === undefined ? 'no release before the live one' : `no release ${wanted}`;
  const there = releases.length === 0 ? 'it has none' : `it has ${releases.map(({ release }) => release).join(', ')}`;
  throw new AppError('NOT_FOUND', `${name} has ${what}: ${there}. \`roundhouse deploys list ${name}\` shows them`);
}
