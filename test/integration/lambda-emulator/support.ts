import { Buffer } from 'node:buffer';
import { CreateFunctionCommand, GetFunctionCommand, InvokeCommand } from '@aws-sdk/client-lambda';
import { type EmulatorForTest, functionInput } from '../../support/lambda-emulator.ts';

/** Waits for a process that has just got its signal, without knowing how long that takes. */
export async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const OK_HANDLER = 'export const handler = async () => "ok";';

/** Creates a function and sees that it is there. */
export async function create(
  { client }: EmulatorForTest,
  name: string,
  files: Readonly<Record<string, string>> = { 'index.mjs': OK_HANDLER },
  more: object = {},
): Promise<void> {
  await client.send(new CreateFunctionCommand(functionInput(name, files, more)));
  await client.send(new GetFunctionCommand({ FunctionName: name }));
}

export interface Called {
  readonly error: string | undefined;
  /** The answer, from JSON. */
  readonly result: any;
  readonly log: string;
  readonly version: string | undefined;
}

export async function call(
  { client }: EmulatorForTest,
  name: string,
  event: unknown = {},
  qualifier?: string,
): Promise<Called> {
  const answer = await client.send(
    new InvokeCommand({
      FunctionName: name,
      Payload: JSON.stringify(event),
      LogType: 'Tail',
      ...(qualifier !== undefined && { Qualifier: qualifier }),
    }),
  );
  return {
    error: answer.FunctionError,
    result: JSON.parse(answer.Payload?.transformToString() ?? 'null'),
    log: Buffer.from(answer.LogResult ?? '', 'base64').toString(),
    version: answer.ExecutedVersion,
  };
}

/** How a call was refused: `ResourceConflictException 409: …`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'it was not refused';
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    return `${name} ${$metadata?.httpStatusCode}: ${message}`;
  }
}
