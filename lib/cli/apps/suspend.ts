import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/printable.ts';
import type { Apps } from './api.ts';
import { parseLimit } from './common.ts';
import { isStarted, isStopped, settle } from './settle.ts';
import type { App } from './shapes.ts';

interface SuspendFlags {
  readonly noWait: boolean;
  readonly waitTimeout: string;
  readonly output: string;
}

/** Stops or starts an app, and looks until that is so. */
export async function suspend(
  apps: Apps,
  name: string,
  action: 'stop' | 'start',
  { noWait, waitTimeout, output }: SuspendFlags,
  io: Io,
): Promise<ExitCode> {
  const limitMs = parseLimit(waitTimeout);
  const asked = await apps.suspend(name, action);
  const isDone = action === 'stop' ? isStopped : isStarted;
  let first: App | undefined = asked;
  const look = async () => {
    const found = first ?? (await apps.get(name));
    first = undefined;
    return found;
  };
  const placeOf = ({ state }: App) => state.reason;
  const app = noWait ? asked : await settle({ what: `${action} ${name}`, limitMs, look, isDone, placeOf }, io);
  if (output === 'json') printJson(io, app);
  else io.out(`${printable(`${name}: ${app.state.name}: ${app.state.reason}`)}\n`);
  return EXIT.ok;
}
