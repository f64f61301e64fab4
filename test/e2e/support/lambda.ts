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

/** One function, as AWS's emulator gives it. */
export interface LambdaRuntime {
  /** The answer as it is: 502 says that the process ended, or has not started. */
  readonly invoke: (event: unknown) => Promise<{ readonly status: number; readonly text: string }>;
  readonly running: Running;
}

export interface Programs {
  readonly emulator: string;
  readonly client: string;
}

interface RuntimeOptions {
  readonly name: string;
  /** Folder of its files. */
  readonly taskRoot: string;
  readonly handler: string;
  /** What AWS_LAMBDA_EXEC_WRAPPER names: neither AWS's emulator nor its client reads that, the images of Lambda do. */
  readonly wrapper?: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What the stack's variables refer to, where no test has something in its place. */
export const DEPLOYED = {
  'AWS::AccountId': '111122223333',
  'AWS::IAM::ManagedPolicy': 'arn:aws:iam::111122223333:policy/roundhouse-prod-app-boundary',
  'AWS::Lambda::LayerVersion': 'arn:aws:lambda:us-east-1:111122223333:layer:secrets:1',
  'AWS::Lambda::Url': 'https://convert.example.com/',
  'AWS::Lambda::Version': 'arn:aws:lambda:us-east-1:111122223333:function:Roundhouse-prod-Checked:7',
  'AWS::S3::Bucket': 'packages',
  'AWS::SecretsManager::Secret': 'arn:aws:secretsmanager:us-east-1:111122223333:secret:RootToken-AbCdEf',
  'AWS::SQS::Queue': 'https://sqs.us-east-1.amazonaws.com/111122223333/roundhouse-prod-work.fifo',
};

/** Starts a function under AWS's runtime client, and that under AWS's emulator. */
export async function startRuntime(
  workbench: Workbench,
  { emulator, client }: Programs,
  { name, taskRoot, handler, wrapper, environment }: RuntimeOptions,
): Promise<LambdaRuntime> {
  const [address, api] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const options = ['--runtime-interface-emulator-address', address, '--runtime-api-address', api];
  const runtime = [...(wrapper === undefined ? [] : [wrapper]), process.execPath, client, handler];
  const running = workbench.start([emulator, ...options, ...runtime], {
    cwd: taskRoot,
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'embedded',
      AWS_SECRET_ACCESS_KEY: 'embedded',
      LAMBDA_TASK_ROOT: taskRoot,
      PATH: process.env['PATH'],
      ...environment,
    },
  });
  const url = `http://${address}/2015-03-31/functions/function/invocations`;
  // Any request but an invocation is refused, by a server that listens.
  await waitFor(`the emulator of ${name}`, running, () => isThere(`http://${address}/`));
  return {
    async invoke(event) {
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(event) });
      return { status: answer.status, text: await answer.text() };
    },
    running,
  };
}

/** Starts a function of a cloud assembly. */
export async function startLambda(
  workbench: Workbench,
  programs: Programs,
  { service: name, entry, environment }: DeployedFunction,
  aws: Readonly<Record<string, string>>,
): Promise<LambdaFunction> {
  const { invoke, running } = await startRuntime(workbench, programs, {
    name,
    taskRoot: dirname(entry),
    handler: 'index.handler',
    environment: { ...environment, ...aws },
  });
  return {
    invoke: async (event) => JSON.parse((await invoke(event)).text),
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
