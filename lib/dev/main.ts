import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '../errors.ts';
import { createLog } from '../telemetry/log.ts';
import { startDevelopment } from './development.ts';
import { parseHostName } from './host-names.ts';

const USAGE = `Runs Roundhouse on this machine: both functions on one port, with an embedded database and the examples.

Usage: npm start -- [--port PORT] [--data DIR] [--tls [--host NAME]...]

  --port PORT   port on the loopback interface (default 8787); 0 picks a free one
  --data DIR    keep the data in this folder (default: in memory, gone at the end)
  --tls         HTTPS, which apiservers insist on, with a development CA; --data keeps it
  --host NAME   with --tls: a DNS name or IP address by which clusters reach this machine; can be repeated. Opens the
                server to the network: all interfaces, and a random token for the API
  --help        show this text

Variables: APP_API_RATE_LIMIT_READ_RPM (600) and APP_API_RATE_LIMIT_WRITE_RPM (120), requests a minute of one caller.
`;

const DEFAULT_PORT = 8787;
const MAX_PORT = 65_535;
/** One Ctrl-C arrives twice under `npm start`: from the terminal, and passed on by npm. */
const SAME_KEY_PRESS_MS = 200;
const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');

const OPTIONS = {
  port: { type: 'string' },
  data: { type: 'string' },
  tls: { type: 'boolean' },
  host: { type: 'string', multiple: true },
  help: { type: 'boolean' },
} as const;

/** Requests a minute, as the function `api` takes them from the same variables. */
function readRpm(name: string, preset: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return preset;
  if (!/^-?\d{1,15}$/.test(text)) throw new Error(`${name} takes a whole number, not "${text}"; 0 is no limit`);
  return Number(text);
}

interface Arguments {
  readonly port: number;
  readonly dataDir?: string;
  readonly tls?: { readonly hosts: readonly string[] };
  readonly rpm: { readonly read: number; readonly write: number };
}

/** Throws an `Error` that says what is wrong with the command line; undefined when help is wanted. */
function parseArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
  if (values.help) return undefined;
  const port = values.port === undefined ? DEFAULT_PORT : Number(values.port || Number.NaN);
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) {
    throw new Error(`--port takes a number from 0 to ${MAX_PORT}, not "${values.port}"`);
  }
  if (values.data === '') throw new Error('--data takes a folder');
  const hosts = (values.host ?? []).map(parseHostName);
  if (hosts.length > 0 && !values.tls) {
    throw new Error('--host names this machine in the certificate of --tls: give --tls too');
  }
  const rpm = {
    read: readRpm('APP_API_RATE_LIMIT_READ_RPM', 600),
    write: readRpm('APP_API_RATE_LIMIT_WRITE_RPM', 120),
  };
  return {
    port,
    rpm,
    ...(values.data !== undefined && { dataDir: values.data }),
    ...(values.tls && { tls: { hosts } }),
  };
}

/** The first signal lets running requests finish for 2 s; a second one does not wait. */
function stopOnSignals(close: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_KEY_PRESS_MS) process.exit(128 + constants.signals[signal]);
      return;
    }
    stoppingSince = performance.now();
    process.stdout.write('\nStops once running requests end, in 2 s at most; Ctrl-C again stops it at once.\n');
    close().then(() => process.exit(0), fail);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

/** A person reads this: an error of ours says what to do, anything else needs its stack. */
function fail(error: unknown): never {
  process.stderr.write(`${error instanceof AppError ? error.message : ((error as Error).stack ?? error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  let wanted: Arguments | undefined;
  try {
    wanted = parseArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const out = (text: string) => process.stdout.write(text);
  if (wanted === undefined) {
    out(USAGE);
    return;
  }
  try {
    const log = createLog({ service: 'development', stage: 'dev', level: 'WARN' });
    const started = startDevelopment({ ...wanted, examplesDir: EXAMPLES, out, log });
    // Before it runs, so that a signal at any moment ends it cleanly.
    stopOnSignals(async () => (await started).close());
    await started;
  } catch (error) {
    fail(error);
  }
}

await main();
