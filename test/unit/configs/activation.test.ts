import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { widget, widgets } from '../../support/widgets.ts';

const TARGET = 'widgets.example.org';

let store: MemoryStore;
let bench: Bench;
beforeEach(() => {
  const clock = createTestClock();
  store = createMemoryStore(clock);
  bench = createBench(store, clock);
});

/** Lets so many writes through; every later one fails, as if the process had died. */
function crashAfter(writes: number): void {
  let left = writes;
  store.beforeWrite = () => {
    if (left-- <= 0) throw new Error('crashed');
  };
}

function recover(): void {
  store.beforeWrite = () => {};
}

function keys(): string[] {
  return store.all().map(({ pk, sk }) => `${pk} ${sk}`);
}

describe('an activation that is cut off', () => {
  const before = widgets({ spokeField: 'length', labels: { team: 'a' } });
  const after = widgets({ spokeField: 'width', labels: { team: 'b' } });

  test('is all or nothing, wherever it is cut, and the next one cleans up', async () => {
    const cuts: string[] = [];
    for (let cut = 0; ; cut++) {
      const clock = createTestClock();
      store = createMemoryStore(clock);
      bench = createBench(store, clock);
      await bench.configs.put(TARGET, before);
      crashAfter(cut);
      const outcome = await bench.configs.put(TARGET, after).then(
        () => 'done',
        () => 'failed',
      );
      recover();
      const { revision, labels } = await bench.configs.get(TARGET);
      expect([revision, labels]).toEqual(revision === 2 ? [2, { team: 'b' }] : [1, { team: 'a' }]);
      expect(outcome).toBe(revision === 2 ? 'done' : 'failed');
      const { object } = await bench.configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1' });
      expect(object['spec']).toEqual(revision === 2 ? { width: 1 } : { length: 1 });
      // Whatever the cut left behind, who asks for the config's own labels finds it, and no list shows it twice.
      const listed = await bench.configs.list({ labelSelector: `team=${labels['team']}` });
      expect(listed.items.map(({ target }) => target)).toEqual([TARGET]);
      expect((await bench.configs.list()).items).toHaveLength(1);

      const next = await bench.configs.put(TARGET, widgets({ spokeField: 'height', labels: { team: 'c' } }));
      expect(next.revision).toBe(revision + 1);
      expect(keys().filter((key) => /^(CONFIGS|LABEL)/.test(key))).toHaveLength(2);
      const { items } = await bench.configs.revisions(TARGET);
      expect(items.map((item) => item.revision)).toEqual(
        Array.from({ length: next.revision }, (_, i) => next.revision - i),
      );
      for (const item of items) await bench.configs.revision(TARGET, item.revision);
      cuts.push(`${cut}: ${outcome}`);
      if (cut > 15) break;
    }
    expect(cuts.some((cut) => cut.endsWith('failed'))).toBe(true);
    expect(cuts.some((cut) => cut.endsWith('done'))).toBe(true);
  });

  test('is finished by a repetition, which makes no second revision of what is active', async () => {
    const leftovers: number[] = [];
    for (let cut = 0; cut < 15; cut++) {
      const clock = createTestClock();
      store = createMemoryStore(clock);
      bench = createBench(store, clock);
      await bench.configs.put(TARGET, before);
      crashAfter(cut);
      await bench.configs.put(TARGET, after).catch(() => undefined);
      recover();
      const { revision } = await bench.configs.get(TARGET);
      const entries = () => keys().filter((key) => /^(CONFIGS|LABEL)/.test(key));
      if (revision === 2) leftovers.push(entries().length - 2);
      expect(await bench.configs.put(TARGET, after)).toMatchObject({ revision: 2, etag: '"2"' });
      expect(entries()).toHaveLength(2);
      expect((await bench.configs.list()).total).toBe(1);
    }
    expect(new Set(leftovers)).toEqual(new Set([2, 1, 0]));
  });

  test('announces the change before it becomes visible: no crash can hide an active revision', async () => {
    const order: string[] = [];
    store.beforeWrite = ({ pk, sk }) => {
      order.push(pk === 'CHANGES' ? pk : `${pk} ${sk}`.replace(/#id.*/, '#'));
    };
    await bench.configs.put(TARGET, before);
    const head = order.indexOf(`HEADS ${TARGET}`);
    expect(order.indexOf('CHANGES')).toBe(head - 1);
    const visible = order.slice(head + 1);
    expect(visible).toEqual([`CONFIG#${TARGET} REVISION#0000000001`]);
    expect(order.slice(0, head - 1)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('BLOB#'),
        'LABEL#team=a widgets.example.org#',
        'CONFIGS widgets.example.org#',
      ]),
    );
  });

  test('does not fail the request when only the work after the head is left', async () => {
    store.beforeWrite = ({ sk }) => {
      if (sk.startsWith('REVISION#')) throw new Error('crashed');
    };
    await bench.configs.put(TARGET, before);
    recover();
    expect(keys().some((key) => key.includes('REVISION#'))).toBe(false);
    expect((await bench.configs.revisions(TARGET)).items.map(({ revision }) => revision)).toEqual([1]);
    await bench.configs.put(TARGET, after);
    await bench.configs.rollback(TARGET, 1);
    expect((await bench.configs.get(TARGET)).labels).toEqual({ team: 'a' });
  });
});

describe('two activations at once', () => {
  /** Runs `second` in the middle of `first`: just before its head is written. */
  async function overtake(first: () => Promise<unknown>, second: () => Promise<unknown>) {
    let overtaken = false;
    store.beforeWrite = async ({ pk, sk }) => {
      if (overtaken || pk !== 'HEADS' || sk !== TARGET) return;
      overtaken = true;
      await second();
    };
    return await Promise.allSettled([first()]);
  }

  test.each([
    { title: 'of a new config', exists: false },
    { title: 'of an existing config', exists: true },
  ])('$title: one wins, the other gets 412 and leaves no trace', async ({ exists }) => {
    if (exists) await bench.configs.put(TARGET, widgets());
    const [loser] = await overtake(
      () => bench.configs.put(TARGET, widgets({ spokeField: 'lost', labels: { team: 'lost' } })),
      () => bench.configs.put(TARGET, widgets({ spokeField: 'won', labels: { team: 'won' } })),
    );
    expect(loser).toMatchObject({ status: 'rejected', reason: { code: 'PRECONDITION_FAILED', status: 412 } });
    expect((await bench.configs.get(TARGET)).labels).toEqual({ team: 'won' });
    const revision = exists ? 2 : 1;
    expect(JSON.parse((await bench.configs.revision(TARGET, revision)).config)).toMatchObject({
      metadata: { labels: { team: 'won' } },
    });
    expect(keys().filter((key) => key.startsWith('LABEL'))).toEqual([expect.stringContaining('team=won')]);
    expect(keys().filter((key) => key.startsWith('CONFIGS'))).toHaveLength(1);
    expect(keys().filter((key) => key.includes('BLOB#'))).toHaveLength(revision);
  });

  test('a rollback against a put: the loser changes nothing', async () => {
    await bench.configs.put(TARGET, widgets());
    await bench.configs.put(TARGET, widgets({ spokeField: 'width' }));
    const [loser] = await overtake(
      () => bench.configs.rollback(TARGET, 1),
      () => bench.configs.put(TARGET, widgets({ spokeField: 'won' })),
    );
    expect(loser).toMatchObject({ status: 'rejected', reason: { code: 'PRECONDITION_FAILED' } });
    expect((await bench.configs.get(TARGET)).revision).toBe(3);
  });

  test('a removal against a put: the loser changes nothing', async () => {
    await bench.configs.put(TARGET, widgets());
    const [loser] = await overtake(
      () => bench.configs.remove(TARGET, { force: true }),
      () => bench.configs.put(TARGET, widgets({ spokeField: 'won' })),
    );
    expect(loser).toMatchObject({ status: 'rejected', reason: { code: 'PRECONDITION_FAILED' } });
    expect((await bench.configs.get(TARGET)).revision).toBe(2);
  });

  test('a put against a removal: the loser does not bring the config back', async () => {
    await bench.configs.put(TARGET, widgets());
    const [loser] = await overtake(
      () => bench.configs.put(TARGET, widgets({ spokeField: 'lost' })),
      () => bench.configs.remove(TARGET, { force: true }),
    );
    expect(loser).toMatchObject({ status: 'rejected', reason: { code: 'PRECONDITION_FAILED' } });
    await expect(bench.configs.get(TARGET)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await bench.configs.list()).total).toBe(0);
  });
});

describe('a put of the active content that is overtaken', () => {
  /** Runs `second` after the put has read the head, before it reads the stored texts. */
  async function overtake(second: () => Promise<unknown>) {
    let reads = 0;
    store.beforeRead = async (pk) => {
      if ((pk === 'HEADS' || pk === `CONFIG#${TARGET}`) && ++reads === 2) await second();
    };
    return await Promise.allSettled([bench.configs.put(TARGET, widgets())]);
  }

  test('by another put comes before it: it answers with what was active, and writes nothing', async () => {
    await bench.configs.put(TARGET, widgets());
    let then: unknown[] = [];
    const [outcome] = await overtake(async () => {
      await bench.configs.put(TARGET, widgets({ spokeField: 'won' }));
      then = store.all();
    });
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { revision: 1, etag: '"1"' } });
    expect(store.all()).toEqual(then);
    expect((await bench.configs.get(TARGET)).revision).toBe(2);
  });

  test('by a removal gets 412 and does not bring the config back', async () => {
    await bench.configs.put(TARGET, widgets());
    const [outcome] = await overtake(() => bench.configs.remove(TARGET, { force: true }));
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'PRECONDITION_FAILED', status: 412 } });
    await expect(bench.configs.get(TARGET)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await bench.configs.list()).total).toBe(0);
    expect(keys().some((key) => key.includes('BLOB#'))).toBe(false);
  });
});

describe('a write whose answer was lost', () => {
  /** The head is stored, the answer is not received, and the repetition finds its own version: a failed condition. */
  function loseAnswers(then: () => Promise<unknown> = async () => undefined): void {
    const { put } = store;
    let lost = false;
    store.put = async (item, condition) => {
      await put(item, condition);
      if (lost || item.pk !== 'HEADS') return;
      lost = true;
      await then();
      await put(item, condition);
    };
  }

  test('counts as done', async () => {
    await bench.configs.put(TARGET, widgets());
    loseAnswers();
    expect(await bench.configs.put(TARGET, widgets({ spokeField: 'width' }))).toMatchObject({
      revision: 2,
      etag: '"2"',
    });
    expect((await bench.configs.revisions(TARGET)).total).toBe(2);
  });

  test('counts as done even when another activation came after it, and keeps its revision whole', async () => {
    await bench.configs.put(TARGET, widgets());
    loseAnswers(() => bench.configs.put(TARGET, widgets({ spokeField: 'later' })));
    expect(await bench.configs.put(TARGET, widgets({ spokeField: 'width' }))).toMatchObject({ revision: 2 });
    expect((await bench.configs.get(TARGET)).revision).toBe(3);
    expect(JSON.stringify(await bench.configs.revision(TARGET, 2))).toContain('width');
  });
});

describe('a large revision', () => {
  /** Properties whose names are noise: they stay in the plan, and do not compress. */
  function large(count: number): Record<string, JsonObject> {
    return Object.fromEntries(
      Array.from({ length: count }, () => [`f${randomBytes(24).toString('hex')}`, { type: 'string' }]),
    );
  }

  test('is split, becomes visible at once, and converts', async () => {
    await bench.configs.put(TARGET, widgets());
    const input = widgets({ more: large(12_000), spokeField: 'width' });
    store.beforeWrite = async ({ sk }) => {
      if (!sk.startsWith('BLOB#')) return;
      expect((await bench.configs.get(TARGET)).revision).toBe(1);
    };
    await bench.configs.put(TARGET, input);
    expect(keys().filter((key) => key.includes('#plan#')).length).toBeGreaterThan(1);
    const { object } = await bench.configs.tryConvert(TARGET, { object: widget('v1', { width: 2 }), to: 'v2' });
    expect(object['spec']).toEqual({ size: 2 });
    expect(JSON.parse((await bench.configs.revision(TARGET, 2)).schema)).toEqual(input.schema);
  });

  test('that was cut off in the middle of its chunks leaves the old revision in place', async () => {
    await bench.configs.put(TARGET, widgets());
    crashAfter(1);
    await expect(bench.configs.put(TARGET, widgets({ more: large(12_000) }))).rejects.toThrow();
    recover();
    expect((await bench.configs.get(TARGET)).revision).toBe(1);
    const { object } = await bench.configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1' });
    expect(object['spec']).toEqual({ length: 1 });
  });

  test('with a chunk missing is refused as not whole, never used in part, and repaired by the same put', async () => {
    const input = widgets({ more: large(12_000) });
    await bench.configs.put(TARGET, input);
    expect((await bench.configs.put(TARGET, input)).revision).toBe(1);
    const chunk = store.all().find(({ sk }) => sk.includes('#plan#'));
    await store.remove(chunk as { pk: string; sk: string });
    const attempt = bench.configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1' });
    await expect(attempt).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('is not whole') });
    expect((await bench.configs.put(TARGET, input)).revision).toBe(2);
    await bench.configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1' });
  });
});
