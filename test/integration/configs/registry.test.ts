import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeIndex } from '../../../lib/configs/index-entries.ts';
import type { ActiveHead } from '../../../lib/configs/records.ts';
import { headItem, readHead } from '../../../lib/configs/records.ts';
import type { Registry } from '../../../lib/configs/types.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createRun } from '../../../lib/engine/run.ts';
import { createDynamoStore, type DynamoStore } from '../../../lib/store/dynamo.ts';
import { changeKey, headKey } from '../../../lib/store/keys.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { countReads } from '../../support/counting-store.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { seedTable } from '../../support/seed-table.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';
import { webhookServer, widget, widgets } from '../../support/widgets.ts';

const TARGET = 'widgets.example.org';

let database: EmbeddedDatabase;
let store: DynamoStore;
let clock: TestClock;
let bench: Bench;
beforeEach(async () => {
  database = await startEmbeddedDatabase();
  clock = createTestClock();
  store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  bench = createBench(store, clock);
});
afterEach(async () => {
  store.close();
  await database.close();
});

async function convert(registry: Registry): Promise<unknown> {
  const { entry, settle } = await registry.lookup(TARGET, ['v1', 'v2']);
  const converted = entry?.router.convert(widget('v2', { size: 1 }), 'v2', 'v1', createRun('review'));
  await settle();
  return converted?.['spec'];
}

async function openPublic(): Promise<{ open: () => Promise<Registry> }> {
  const { token = '' } = await bench.endpoints.put('public', webhookServer('public'));
  const registries = bench.instance({ delay: async () => {} });
  return { open: async () => (await registries.open('public', token)) as Registry };
}

describe('a warm instance', () => {
  test('still converts when the database is stopped, an hour later too', async () => {
    await bench.configs.put(TARGET, widgets());
    const { open } = await openPublic();
    expect(await convert(await open())).toEqual({ length: 1 });
    await database.close();
    for (const ms of [0, 6_000, 60_000, 3_600_000]) {
      await clock.advance(ms);
      expect(await convert(await open())).toEqual({ length: 1 });
    }
  });

  test('keeps the last good plan when a broken revision is written straight to the table, and reports it', async () => {
    await bench.configs.put(TARGET, widgets());
    const registries = bench.instance();
    const registry = await registries.all();
    const item = await store.get(headKey(TARGET));
    const head = readHead(item as NonNullable<typeof item>) as ActiveHead;
    const record = { ...head.record, revision: 2, planData: new Uint8Array([1, 2, 3]) };
    await store.put(headItem({ ...head, version: 2, record }));
    await store.put({ ...changeKey(clock.now(), 'raw'), kind: 'config', name: TARGET, version: 2, labels: {} });
    await clock.advance(60_000);
    expect(await convert(registry)).toEqual({ length: 1 });
    expect((await registries.all()).snapshot()).toMatchObject([
      {
        target: TARGET,
        ready: true,
        revision: 1,
        lastError: expect.stringContaining('revision 2'),
        lastErrorAt: '2026-01-01T00:01:00.000Z',
      },
    ]);
  });
});

describe('10,000 configs of which 100 match', () => {
  test('an instance of that endpoint reads and holds 100', async () => {
    await bench.configs.put(TARGET, widgets());
    const item = await store.get(headKey(TARGET));
    const template = readHead(item as NonNullable<typeof item>) as ActiveHead;
    const seed = createMemoryStore(clock);
    for (let index = 0; index < 10_000; index++) {
      const labels = { team: index % 100 === 0 ? 'a' : 'b' };
      const head = { ...template, target: `w${index}.example.org`, record: { ...template.record, labels } };
      await seed.put(headItem(head));
      await writeIndex(seed, head);
    }
    await seedTable(database, seed.all());
    const selector = { cacheSelector: { matchLabels: { team: 'a' } } };
    const { token = '' } = await bench.endpoints.put('a', webhookServer('a', selector));

    const reads = countReads(store);
    const registry = (await bench.instance({ store: reads }).open('a', token)) as Registry;
    expect(registry.size).toBe(100);
    expect(registry.snapshot().every(({ ready }) => ready)).toBe(true);
    const byKind = Map.groupBy(reads.read, ({ pk }) => pk.split('#')[0] as string);
    expect(Object.fromEntries([...byKind].map(([kind, items]) => [kind, items.length]))).toEqual({
      ENDPOINTS: 1,
      LABEL: 100,
      HEADS: 100,
    });
    expect((await bench.configs.list({ labelSelector: 'team=a', limit: 10 })).total).toBe(100);
  });
});
