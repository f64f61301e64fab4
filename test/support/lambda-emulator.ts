import { Buffer } from 'node:buffer';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { strToU8, zipSync } from 'fflate';
import { type LambdaEmulator, type LambdaEmulatorOptions, startLambdaEmulator } from '../../lib/dev/lambda/emulator.ts';

export interface EmulatorForTest extends LambdaEmulator {
  /** What a Lambda client connects with. */
  readonly connection: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** Without retries, so that a test sees each answer. */
  readonly client: LambdaClient;
}

/** The emulator with updates that are done at the next look, and a client of it. */
export async function startEmulatorForTest(options: LambdaEmulatorOptions = {}): Promise<EmulatorForTest> {
  const emulator = await startLambdaEmulator({ updateMs: 0, ...options });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const connection = { endpoint: emulator.url, region: emulator.region, credentials };
  const client = new LambdaClient({ ...connection, maxAttempts: 1 });
  return {
    ...emulator,
    connection,
    client,
    close: async () => {
      client.destroy();
      await emulator.close();
    },
  };
}

/** A package of text files: `zipOf({ 'index.mjs': 'export const handler = async () => 1' })`. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries = Object.entries(files).map(([name, file]) => [name, typeof file === 'string' ? strToU8(file) : file]);
  return Buffer.from(zipSync(Object.fromEntries(entries), { mtime: '2026-01-01T00:00:00Z' }));
}

/** What CreateFunction needs for a package of these files. */
export function functionInput(name: string, files: Readonly<Record<string, string>>, more: object = {}) {
  return {
    FunctionName: name,
    Role: 'arn:aws:iam::000000000000:role/roundhouse/dev/app',
    Runtime: 'nodejs24.x' as const,
    Handler: 'index.handler',
    Code: { ZipFile: zipOf(files) },
    ...more,
  };
}
