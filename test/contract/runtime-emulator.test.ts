import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { createLambdaRuntime, type LambdaRuntime } from '../../lib/apps/runtime/lambda.ts';
import { artifactKey } from '../../lib/apps/runtime/names.ts';
import { type EmulatorForTest, startEmulatorForTest, zipOf } from '../support/lambda-emulator.ts';
import { describeRuntime } from './runtime-suite.ts';

const BUCKET = 'artifacts';
const REPOSITORY = '000000000000.dkr.ecr.us-east-1.amazonaws.com/shop';
const PRESENT = `sha256:${'a'.repeat(64)}`;

let emulator: EmulatorForTest | undefined;
let runtime: LambdaRuntime | undefined;

afterAll(async () => {
  runtime?.close();
  await emulator?.close();
});

describeRuntime(
  'the driver on the emulator',
  async () => {
    const objects = new Map<string, Uint8Array>();
    emulator = await startEmulatorForTest({
      readObject: async ({ bucket, key, versionId }) => objects.get(`${bucket} ${key} ${versionId}`),
      images: (uri) => uri === `${REPOSITORY}@${PRESENT}`,
    });
    const { faults, connection: client } = emulator;
    runtime = createLambdaRuntime({ stage: 'test', client, artifactBucket: BUCKET });
    return {
      runtime,
      async upload(app, source) {
        const [artifact, versionId, zip] = [`art_${randomUUID()}`, randomUUID(), zipOf({ 'index.mjs': source })];
        objects.set(`${BUCKET} ${artifactKey(app, artifact)} ${versionId}`, zip);
        return { kind: 'zip', artifact, versionId, bytes: zip.length };
      },
      images: {
        present: { kind: 'image', uri: `${REPOSITORY}:1`, digest: PRESENT },
        absent: { kind: 'image', uri: `${REPOSITORY}:1`, digest: `sha256:${'b'.repeat(64)}` },
      },
      roleArn: 'arn:aws:iam::000000000000:role/roundhouse/test/role',
      holdUpdates: (app) => faults.inject({ kind: 'slow', functionName: `roundhouse_test_${app}` }),
    };
  },
  { roles: 'it knows no roles, and takes any' },
);
