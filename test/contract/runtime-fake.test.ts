import { randomUUID } from 'node:crypto';
import { createFakeRuntime } from '../support/fake-runtime.ts';
import { describeRuntime } from './runtime-suite.ts';

const IMAGE = { kind: 'image', uri: '000000000000.dkr.ecr.us-east-1.amazonaws.com/shop:1' } as const;

describeRuntime(
  'the fake of the tests of the worker',
  () => {
    const runtime = createFakeRuntime();
    return {
      runtime,
      upload: async () => ({ kind: 'zip', artifact: `art_${randomUUID()}`, versionId: randomUUID(), bytes: 1 }),
      images: {
        present: { ...IMAGE, digest: `sha256:${'a'.repeat(64)}` },
        absent: { ...IMAGE, digest: `sha256:${'b'.repeat(64)}` },
      },
      roleArn: 'arn:aws:iam::000000000000:role/roundhouse/test/role',
      holdUpdates(app) {
        runtime.looks = 1_000;
        return {
          release() {
            runtime.looks = 0;
            const held = runtime.functions.get(app);
            if (held !== undefined) held.looks = 0;
          },
        };
      },
    };
  },
  {
    'runs code': 'a test says what a version answers, and there is nobody at its URLs',
    'removal of a version without a function': 'it refuses, where the driver is content',
    'images that are there only': 'a test refuses one by itself',
    'packages that are there only': 'a test refuses one by itself',
    'package types': 'the API refuses that before the worker sees it',
    'bounds of settings': 'the API refuses them before the worker sees them',
    '4 KB of variables': 'a test refuses them by itself',
    roles: 'it knows no roles, and takes any',
    'a policy change is a new revision of the alias': 'it has no policies',
    'account settings': 'it counts no bytes',
  },
);
