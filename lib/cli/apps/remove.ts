import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import type { Apps } from './api.ts';
import { settle } from './settle.ts';
import type { App } from './shapes.ts';

/**
 * Removes an app, and tells what is left over.
 * @param limitMs how long to look for the end; undefined: not at all
 * @returns false when it waited and something is left over
 */
export async function removeApp(apps: Apps, name: string, limitMs: number | undefined, io: Io): Promise<boolean> {
  const asked = await apps.remove(name);
  const last = asked === undefined || limitMs === undefined ? asked : await untilGone(apps, name, limitMs, io);
  if (last === undefined) {
    io.out(`${printable(`${name}: removed`)}\n`);
    return true;
  }
  const leftovers = last.deletion?.leftovers ?? [];
  io.out(`${printable(`${name}: ${last.state.reason}`)}\n`);
  for (const { resource, reason = '' } of leftovers) io.err(`${printable(`left over: ${resource}: ${reason}`)}\n`);
  return limitMs === undefined;
}

/** The app as it is when something of it cannot be removed; undefined when nothing is left. */
async function untilGone(apps: Apps, name: string, limitMs: number, io: Io): Promise<App | undefined> {
  const look = async () => {
    try {
      return await apps.get(name);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  };
  // One that was made anew under the name in the meantime is not the one that was removed.
  const isDone = (app: App | undefined) => app?.deletion === undefined || (app.deletion.leftovers ?? []).length > 0;
  const placeOf = (app: App | undefined) => app?.state.reason ?? '';
  const last = await settle({ what: `delete ${name}`, limitMs, look, isDone, placeOf }, io);
  return last?.deletion === undefined ? undefined : last;
}
