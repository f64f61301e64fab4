import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/printable.ts';
import type { Apps } from './api.ts';
import { parseLimit, tellWarnings } from './common.ts';
import { follow } from './follow.ts';
import { tellOutcome } from './outcome.ts';
import type { App } from './shapes.ts';
import { takeTurn } from './turn.ts';

interface DeployFlags {
  readonly detach: boolean;
  readonly noWait: boolean;
  readonly waitTimeout: string;
  readonly output: string;
}

/** Begins a deploy, a restart or a rollback when it is its turn, and looks at it until it is over. */
export async function runDeploy(
  apps: Apps,
  name: string,
  begin: (once: { readonly idempotencyKey: string }) => Promise<App>,
  { detach, noWait, waitTimeout, output }: DeployFlags,
  io: Io,
): Promise<ExitCode> {
  const limitMs = parseLimit(waitTimeout);
  const app = await takeTurn(apps, name, begin, { wait: !noWait, limitMs }, io);
  tellWarnings(app, io);
  const id = app.latest_deploy?.id ?? 'latest';
  if (detach) {
    if (output === 'json') printJson(io, app);
    else io.out(`${printable(`${name}: ${id} is queued; \`roundhouse deploys watch ${name} ${id}\` looks on`)}\n`);
    return EXIT.ok;
  }
  return await tellOutcome(apps, name, await follow(apps, name, id, limitMs, io), output, io);
}
