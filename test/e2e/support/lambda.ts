import { dirname } from 'node:path';
import type { DeployedFunction } from '../../infra/support/cloud-assembly.ts';
import { freePort, waitFor } from './wait.ts';
import type { Running, Workbench } from './workbench.ts';

export interface LambdaFunction {
  /** Gives what the function returned, or the error that Lambda makes of what it threw. */
  readonly invoke: (event: object) => Promise<any>;
  /** Lines that the function printed, parsed; the emulator passes them on as they are. */
  readonly lines: () => readonly Record<string, any>[];
  /** What the emulator prints of each start of the function's process and of each invocation, in milliseconds. */
  readonly times: () => { readonly init: readonly number[]; readonly invoke: readonly number[] };
  readonly output: () => string;
}

interface Programs {
  readonly emulator: string;
  readonly client: string;
}

/** Starts a function of a cloud assembly under AWS's runtime client, and that under AWS's emulator. */
export async function startLambda(
  workbench: Workbench,
  { emulator, client }: Programs,
  { service, entry, environment }: DeployedFunction,
  aws: Readonly<Record<string, string>>,
): Promise<LambdaFunction> {
  const [address, api] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const options = ['--runtime-interface-emulator-address', address, '--runtime-api-address', api];
  const running = workbench.start([emulator, ...options, process.execPath, client, 'index.handler'], {
    cwd: dirname(entry),
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'embedded',
      AWS_SECRET_ACCESS_KEY: 'embedded',
      LAMBDA_TASK_ROOT: dirname(entry),
      PATH: process.env['PATH'],
      ...environment,
      ...aws,
    },
  });
  const url = `http://${address}/2015-03-31/functions/function/invocations`;
  // Any request but an invocation is refused, by a server that listens.
  await waitFor(`the emulator of ${service}`, running, () => isThere(`http://${address}/`));
  return {
    invoke: async (event) => {
      const text = await (await fetch(url, { method: 'POST', body: JSON.stringify(event) })).text();
      return JSON.parse(text);
    },
    lines: () => readLines(running),
    times: () => readTimes(running.output()),
    output: running.output,
  };
}

const isThere = (url: string) =>
  fetch(url).then(
    () => true,
    () => undefined,
  );

function readLines({ output }: Running) {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, any>);
}

/** `INIT REPORT(durationMs: 410.698000)`, and for each invocation `INVOKE RTDONE(status: success, …, duration: 47.541000ms)`. */
function readTimes(output: string) {
  const read = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, text]) => Number(text));
  return {
    init: read(/INIT REPORT\(durationMs: ([\d.]+)\)/g),
    invoke: read(/INVOKE RTDONE\(.*duration: ([\d.]+)ms\)/g),
  };
}
