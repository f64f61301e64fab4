import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApps } from '../../../lib/dev/apps.ts';
import { startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../../lib/store/dynamo.ts';
import { startCallRecorder } from '../../support/call-recorder.ts';
import { startDevelopmentForTest } from '../../support/development.ts';
import { send } from '../../support/http-client.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

/** As the idle benchmark of the Go peer does it: so many apps, each stopped at once, then six endpoints. */
const APPS = 500;
const NO_LIMIT = { read: 10_000_000, write: 10_000_000 };
const agent = new Agent({ keepAlive: true });

let folder: string;
let dataDir: string;
let url: string;
const closers: (() => Promise<void>)[] = [];

const stop = async () => {
  for (const close of closers.splice(0)) await close();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-idle-'));
  dataDir = join(folder, 'data');
  const examplesDir = join(import.meta.dirname, '../../../examples');
  ({ url } = await startDevelopmentForTest({ examplesDir, dataDir, rpm: NO_LIMIT }, closers));
});

afterAll(async () => {
  await stop();
  agent.destroy();
  await rm(folder, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: object) =>
  send(`${url}/api/v1${path}`, {
    method,
    agent,
    headers: { authorization: 'Bearer dev-root-token', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const nameOf = (number: number) => `bench-${String(number).padStart(4, '0')}`;

describe(`${APPS} suspended apps`, () => {
  test('are created and stopped one after another, with the body and the token of the benchmark', async () => {
    for (let number = 1; number <= APPS; number += 1) {
      const name = nameOf(number);
      const created = await call('POST', '/apps', { name, image: 'bench.invalid/none:0', port: 8080 });
      expect(created.status, created.text).toBe(201);
      const stopped = await call('POST', `/apps/${name}/stop`);
      expect(stopped.status, stopped.text).toBe(200);
    }
  }, 180_000);

  test.each([
    '/apps',
    '/apps/bench-0001',
    '/system/status',
    '/system/doctor',
    '/certificates',
    '/deploys/failed?since=24h',
  ])('GET %s answers 200', async (path) => {
    const reply = await call('GET', path);
    expect(reply.status).toBe(200);
    if (path === '/apps') {
      expect(reply.headers['x-total-count']).toBe(String(APPS));
      expect(reply.json).toHaveLength(APPS);
      expect(new Set(reply.json.map(({ status }: any) => status.label))).toEqual(new Set(['Stopped']));
    }
    if (path === '/system/doctor') expect(reply.json).toMatchObject({ ok: true });
  });

  test('cost a fast pass one Query and no call of Lambda', async () => {
    await stop();
    const database = await startEmbeddedDatabase({ dir: dataDir });
    closers.unshift(database.close);
    const recorder = await startCallRecorder(database);
    closers.unshift(recorder.close);
    let ahead = 120_000;
    const clock = { now: () => Date.now() + ahead };
    const store = createDynamoStore({ tableName: database.tableName, client: recorder.client, clock });
    closers.unshift(async () => store.close());
    const apps = await startApps({ store, clock, dataDir, log: createMemoryLog() });
    closers.unshift(apps.close);
    // The pass at the start first; then one more, when its lease is over.
    await apps.reconcile('fast');
    ahead += 120_000;
    const before = recorder.calls.length;
    apps.lambda.calls.clear();
    await apps.reconcile('fast');
    const calls = recorder.calls.slice(before).map(({ action, index }) => `${action} ${index ?? ''}`.trim());
    expect(calls.filter((name) => name.startsWith('dynamodb:Query'))).toEqual(['dynamodb:Query attention']);
    // The lease of the pass: one conditional write, and nothing else.
    expect(calls.filter((name) => !name.startsWith('dynamodb:Query'))).toEqual(['dynamodb:PutItem']);
    expect(apps.lambda.calls.count()).toBe(0);
  });
});
