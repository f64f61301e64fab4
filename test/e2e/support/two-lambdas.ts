import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CreateFunctionCommand, GetFunctionCommand, InvokeCommand } from '@aws-sdk/client-lambda';
import { inferAnswer } from '../../../lib/dev/lambda/url-result.ts';
import { type EmulatorForTest, functionInput } from '../../support/lambda-emulator.ts';
import { type LambdaRuntime, type Programs, startRuntime } from './lambda.ts';
import type { Workbench } from './workbench.ts';

export interface App {
  /** Its package: text by path. */
  readonly files: Readonly<Record<string, string>>;
  /** `index.handler` when absent. */
  readonly handler?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** 3 when absent. */
  readonly timeoutSeconds?: number;
  /** ARN and folder of a layer. */
  readonly layer?: { readonly arn: string; readonly folder: string };
}

/** What a call gave. */
export interface Outcome {
  /** Parsed where it is JSON. What differs with each run is left out: request ids, folders, traces. */
  readonly payload: any;
  /** What the function's URL would answer. */
  readonly answer: object;
}

/** One app on both sides. */
export interface BothSides {
  readonly name: string;
  readonly aws: LambdaRuntime;
  /** The same event for both. */
  readonly call: (event: unknown) => Promise<{ readonly aws: Outcome; readonly ours: Outcome }>;
  readonly stop: () => void;
}

const MEMORY_MB = 128;
let apps = 0;

/** An app under AWS's runtime client and emulator, and under ours. */
export async function startOnBoth(
  workbench: Workbench,
  programs: Programs,
  ours: EmulatorForTest,
  app: App,
): Promise<BothSides> {
  const { files, handler = 'index.handler', variables = {}, timeoutSeconds = 3, layer } = app;
  apps += 1;
  const name = `app-${apps}`;
  const taskRoot = workbench.folder(`roundhouse-e2e-${name}-`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(taskRoot, path)), { recursive: true });
    writeFileSync(join(taskRoot, path), text);
  }
  const wrapper = variables['AWS_LAMBDA_EXEC_WRAPPER'];
  const aws = await startRuntime(workbench, programs, {
    name,
    taskRoot,
    handler,
    ...(wrapper !== undefined && { wrapper: wrapper.replace('/opt', layer?.folder ?? '/opt') }),
    environment: {
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${MEMORY_MB}`,
      AWS_LAMBDA_FUNCTION_TIMEOUT: `${timeoutSeconds}`,
      TZ: ':UTC',
      ...variables,
    },
  });
  const input = functionInput(name, files, {
    Handler: handler,
    Timeout: timeoutSeconds,
    MemorySize: MEMORY_MB,
    Environment: { Variables: variables },
    ...(layer && { Layers: [layer.arn] }),
  });
  await ours.client.send(new CreateFunctionCommand(input));
  await ours.client.send(new GetFunctionCommand({ FunctionName: name }));
  return {
    name,
    aws,
    async call(event) {
      const { text } = await aws.invoke(event);
      const called = await ours.client.send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }));
      const payload = called.Payload?.transformToString() ?? '';
      return {
        aws: read(text, isFailure(text)),
        ours: read(payload, called.FunctionError !== undefined),
      };
    },
    stop: () => process.kill(-aws.running.pid, 'SIGKILL'),
  };
}

/** AWS's emulator leaves out the header that says so. */
function isFailure(text: string): boolean {
  const payload = parse(text);
  return typeof payload === 'object' && payload !== null && 'errorType' in payload;
}

function read(text: string, failed: boolean): Outcome {
  const payload = parse(text);
  const shown = failed ? { ...payload, errorMessage: withoutPlaces(payload.errorMessage) } : payload;
  // A trace has the frames of the runtime in it.
  if (Array.isArray(shown?.trace)) shown.trace = shown.trace.length > 0;
  return { payload: shown, answer: failed ? { statusCode: 502 } : infer(payload) };
}

function infer(payload: unknown): object {
  try {
    return inferAnswer(payload);
  } catch {
    return { statusCode: 502 };
  }
}

function withoutPlaces(message: string): string {
  return message
    .replace(/^RequestId: [\w-]{36} /, '')
    .replaceAll(/(\/[^/\s']+)+\/(index|bootstrap)\.(mjs|js)/g, '<folder>/$2')
    .replaceAll('<folder>/bootstrap', '<folder>/index')
    .replaceAll(/'(\/[^/\s']+)+\/([^/']+)'/g, "'<folder>/$2'");
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
