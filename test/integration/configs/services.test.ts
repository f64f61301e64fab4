import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { createRun } from '../../../lib/engine/run.ts';
import { createDynamoStore, type DynamoStore } from '../../../lib/store/dynamo.ts';
import { itemBytes, MAX_ITEM_BYTES } from '../../../lib/store/item-size.ts';
import { configPartition } from '../../../lib/store/keys.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { webhookServer, widget, widgetConfig, widgetCrd, widgets } from '../../support/widgets.ts';

let database: EmbeddedDatabase;
let store: DynamoStore;
let bench: Bench;
let target: string;
let count = 0;
beforeAll(async () => {
  database = await startEmbeddedDatabase();
});
afterAll(async () => {
  await database.close();
});
beforeEach(() => {
  const clock = createTestClock();
  store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  bench = createBench(store, clock);
  target = `w${count++}.example.org`;
  return () => store.close();
});

describe('activations on DynamoDB', () => {
  test.each([2, 10])('%s at once: one wins, the others get 412 and leave no trace', async (writers) => {
    for (const exists of [false, true]) {
      const { revision = 0, etag = '' } = exists ? await bench.configs.get(target) : {};
      const outcomes = await Promise.allSettled(
        Array.from({ length: writers }, (_, writer) => {
          const input = widgets({ target, spokeField: `field${writer}x${revision}`, labels: { writer: `w${writer}` } });
          return bench.configs.put(target, input, exists ? { ifMatch: etag } : {});
        }),
      );
      const winners = outcomes.flatMap(({ status }, writer) => (status === 'fulfilled' ? [writer] : []));
      const losers = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(winners).toHaveLength(1);
      for (const { reason } of losers) expect(reason).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
      const view = await bench.configs.get(target);
      expect(view).toMatchObject({ revision: revision + 1, labels: { writer: `w${winners[0]}` } });
      const { object } = await bench.configs.tryConvert(target, { object: widget('v2', { size: 1 }), to: 'v1' });
      expect(object['spec']).toEqual({ [`field${winners[0]}x${revision}`]: 1 });
      for (let writer = 0; writer < writers; writer++) {
        const { items } = await bench.configs.list({ labelSelector: `writer=w${writer}` });
        expect(items.filter((item) => item.target === target)).toHaveLength(winners[0] === writer ? 1 : 0);
      }
      const chunks = await store.query({ pk: configPartition(target), sk: { prefix: 'BLOB#' } });
      expect(chunks).toHaveLength(revision + 1);
    }
  });

  test('with a stale If-Match get 412, and the active revision stays', async () => {
    const { etag = '' } = await bench.configs.put(target, widgets({ target }));
    await bench.configs.put(target, widgets({ target, spokeField: 'width' }), { ifMatch: etag });
    const stale = bench.configs.put(target, widgets({ target }), { ifMatch: etag });
    await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
    expect((await bench.configs.get(target)).revision).toBe(2);
  });

  test('walk through the life of a config', async () => {
    const labels = { constructor: 'a', 'example.org/team': 'b' };
    const first = await bench.configs.put(target, widgets({ target, labels }));
    const before = await store.query({ pk: configPartition(target) });
    expect(await bench.configs.put(target, widgets({ target, labels }))).toEqual({ ...first, created: false });
    expect(await store.query({ pk: configPartition(target) })).toEqual(before);
    await bench.configs.put(target, widgets({ target, spokeField: 'width' }));
    expect((await bench.configs.rollback(target, 1)).labels).toStrictEqual(labels);
    expect(
      (await bench.configs.list({ labelSelector: 'constructor in (a)' })).items.map((item) => item.target),
    ).toEqual([target]);
    expect((await bench.configs.revisions(target, { limit: 1 })).items).toMatchObject([{ revision: 2, active: false }]);
    await bench.configs.remove(target, { force: true });
    await expect(bench.configs.get(target)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.query({ pk: configPartition(target) })).toEqual([]);
    expect(await bench.configs.put(target, widgets({ target }))).toMatchObject({ created: true, revision: 3 });
  });
});

describe('a config whose schema is larger than an item', () => {
  /** Compressed, prose of that many random bytes needs about as many bytes. */
  function prose(bytes: number): JsonObject {
    return { type: 'string', description: randomBytes(bytes).toString('base64') };
  }

  test('is stored, read back, compiled and converts', async () => {
    const more = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, prose(20_000)]));
    const schema = JSON.stringify(widgetCrd({ target, more }));
    const config = JSON.stringify(widgetConfig({ target }));
    expect(schema.length).toBeGreaterThan(4_000_000);
    await bench.configs.put(target, { config, schema });
    const items = await store.query({ pk: configPartition(target) });
    expect(items.filter(({ sk }) => sk.startsWith('BLOB#')).length).toBeGreaterThan(4);
    expect(Math.max(...items.map(itemBytes))).toBeLessThanOrEqual(MAX_ITEM_BYTES);
    expect(await bench.configs.revision(target, 1)).toMatchObject({ config, schema });
    expect(await bench.configs.put(target, { config, schema })).toMatchObject({ revision: 1, etag: '"1"' });

    const registry = await bench.instance().all();
    const entry = registry.get(target);
    const converted = entry?.router.convert(widget('v1', { length: 5, field1: 'x' }), 'v1', 'v2', createRun('review'));
    expect(converted?.['spec']).toEqual({ size: 5, field1: 'x' });
  });

  test('is stored, read back and compiled when the plan itself does not fit into an item', async () => {
    const more = Object.fromEntries(
      Array.from({ length: 12_000 }, () => [`f${randomBytes(24).toString('hex')}`, { type: 'string' }]),
    );
    await bench.configs.put(target, widgets({ target, more }));
    const plans = await store.query({ pk: configPartition(target), sk: { prefix: 'BLOB#' } });
    expect(plans.filter(({ sk }) => sk.includes('#plan#')).length).toBeGreaterThan(1);
    const registry = await bench.instance().all();
    expect(registry.get(target)?.router.versions).toEqual(['v2', 'v1']);
  });
});

describe('endpoints on DynamoDB', () => {
  test('let one of two racing defaults win', async () => {
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) => bench.endpoints.put(name, webhookServer(name, { default: true }))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await bench.endpoints.list()).items.filter((endpoint) => endpoint.default)).toHaveLength(1);
  });

  test('keep their selector as it was written', async () => {
    const cacheSelector = {
      matchLabels: { constructor: 'a' },
      matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['c'] }],
    };
    const { token = '' } = await bench.endpoints.put('selecting', webhookServer('selecting', { cacheSelector }));
    expect((await bench.endpoints.get('selecting')).selector).toStrictEqual(cacheSelector);
    await bench.configs.put(target, widgets({ target, labels: { constructor: 'a' } }));
    const registry = await bench.instance().open('selecting', token);
    expect(registry?.snapshot().map((row) => row.target)).toEqual([target]);
  });
});
