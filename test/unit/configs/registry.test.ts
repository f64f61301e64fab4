import { beforeEach, describe, expect, test, vi } from 'vitest';
import { compileRevision } from '../../../lib/configs/compile-revision.ts';
import type { Lookup, Registries, Registry } from '../../../lib/configs/types.ts';
import { createRun } from '../../../lib/engine/run.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Item } from '../../../lib/store/ports.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { type CountingStore, countReads } from '../../support/counting-store.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';
import { webhookServer, widget, widgets } from '../../support/widgets.ts';

const TARGET = 'widgets.example.org';
const UNREACHABLE = new AppError('UNAVAILABLE', 'the database is gone');

let clock: TestClock;
let store: MemoryStore;
let bench: Bench;
/** What the instance under test reads; the bench writes beside it. */
let reads: CountingStore;
beforeEach(() => {
  clock = createTestClock();
  store = createMemoryStore(clock);
  bench = createBench(store, clock);
  reads = countReads(store);
});

function instance(more: Parameters<Bench['instance']>[0] = {}): Registries {
  return bench.instance({ store: reads, ...more });
}

async function put(spokeField: string, target = TARGET, more: Parameters<typeof widgets>[0] = {}): Promise<void> {
  await bench.configs.put(target, widgets({ target, spokeField, ...more }));
}

/** The name of the spoke's field, by the plan that a review would use. */
function fieldOf({ entry }: Lookup): string | undefined {
  const converted = entry?.router.convert(widget('v2', { size: 1 }), 'v2', 'v1', createRun('review'));
  return converted && Object.keys(converted['spec'] as object)[0];
}

/** What a whole review does: look up, convert, settle. */
async function review(registry: Registry, target = TARGET, versions = ['v1', 'v2']): Promise<string | undefined> {
  const found = await registry.lookup(target, versions);
  const field = fieldOf(found);
  await found.settle();
  return field;
}

function stopStore(): void {
  store.beforeRead = () => {
    throw UNREACHABLE;
  };
}

function startStore(): void {
  store.beforeRead = () => {};
}

/** Reads that never end, until the returned function is called. */
function hangStore(): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  store.beforeRead = () => released;
  return release;
}

describe('the plans that an instance holds', () => {
  test('are there after the load, and cost one look-up in memory', async () => {
    await put('length');
    const registry = await instance().all();
    reads.reset();
    expect(registry.get(TARGET)).toMatchObject({ target: TARGET, group: 'example.org', kind: 'Widget', revision: 1 });
    expect(await review(registry)).toBe('length');
    expect(registry.size).toBe(1);
    expect(reads.read).toEqual([]);
    expect(reads.calls).toMatchObject({ get: 0, getMany: 0, query: 0 });
  });

  test('serve while the store is gone, however long', async () => {
    await put('length');
    const registry = await instance().all();
    stopStore();
    for (const ms of [0, 6_000, 70_000, 3_600_000, 86_400_000]) {
      await clock.advance(ms);
      expect(await review(registry)).toBe('length');
    }
    expect(registry.drain().lookFailures).toBeGreaterThan(3);
    startStore();
    await put('width');
    await clock.advance(60_000);
    expect(await review(registry)).toBe('width');
  });

  test('are not there, and the load fails, when the store is gone from the start', async () => {
    await put('length');
    stopStore();
    const registries = instance();
    await registries.warm();
    await expect(registries.all()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    startStore();
    expect(await review(await registries.all())).toBe('length');
  });

  test('are loaded for as long as the budget says, the rest on first use', async () => {
    const targets = Array.from({ length: 120 }, (_, index) => `w${String(index).padStart(3, '0')}.example.org`);
    for (const target of targets) await put('length', target);
    const slow: typeof compileRevision = async (source) => {
      await clock.advance(20);
      return await compileRevision(source);
    };
    const registry = await instance({ compileRevision: slow, loadBudgetMs: 1000 }).all();
    expect(registry.size).toBe(120);
    const ready = registry.snapshot().filter((row) => row.ready);
    expect(ready).toHaveLength(50);
    reads.reset();
    const last = targets.at(-1) as string;
    expect(registry.get(last)).toBeUndefined();
    expect(registry.snapshot().at(-1)).toEqual({ target: last, ready: false, revision: 1, versions: [] });
    expect(await review(registry, last)).toBe('length');
    expect(reads.read.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([`HEADS ${last}`]);
    await registry.compilePending(200);
    expect(registry.snapshot().filter((row) => row.ready)).toHaveLength(61);
    await registry.compilePending(Number.POSITIVE_INFINITY);
    expect(registry.snapshot().every((row) => row.ready)).toBe(true);
  });

  test('are read as ranges by an instance that holds most of them, and one by one where it holds few', async () => {
    const targets = Array.from({ length: 60 }, (_, index) => `w${String(index).padStart(2, '0')}.example.org`);
    for (const target of targets) await put('length', target, { endpoint: target < 'w50' ? 'most' : 'few' });
    await bench.configs.remove('w07.example.org', { force: true });
    const open = async (name: string) => {
      const { token = '' } = await bench.endpoints.put(name, webhookServer(name));
      reads.reset();
      return (await instance().open(name, token)) as Registry;
    };
    const most = await open('most');
    expect(most.snapshot().map((row) => row.ready)).toEqual(Array(49).fill(true));
    expect(reads.calls).toMatchObject({ get: 0, getMany: 0, query: 3 });
    const few = await open('few');
    expect(few.snapshot().map((row) => row.ready)).toEqual(Array(10).fill(true));
    expect(reads.calls).toMatchObject({ get: 0, getMany: 1, query: 2 });
    expect(reads.read.filter(({ pk }) => pk === 'HEADS')).toHaveLength(10);
  });

  test('are counted with the time that compiling took', async () => {
    await put('length');
    await put('width', 'others.example.org');
    const slow: typeof compileRevision = async (source) => {
      await clock.advance(20);
      return await compileRevision(source);
    };
    const registry = await instance({ compileRevision: slow, timer: clock.now }).all();
    expect(registry.drain()).toMatchObject({ compiles: 2, compileDurations: [20, 20], loadFailures: [] });
    expect(registry.drain()).toMatchObject({ compiles: 0, compileDurations: [], loadFailures: [] });
  });

  test('stay pending when their first use finds the store gone, and are tried again', async () => {
    await put('length');
    const registry = await instance({ loadBudgetMs: 0 }).all();
    stopStore();
    expect(await registry.lookup(TARGET, ['v1'])).toEqual({ known: true, settle: expect.any(Function) });
    startStore();
    expect(await review(registry)).toBe('length');
  });

  test('stay pending when their first use finds that the store hangs: a review waits for 5 s', async () => {
    await put('length');
    const registry = await instance({ loadBudgetMs: 0 }).all();
    hangStore();
    const { answer, ms } = await timed(registry.lookup(TARGET, ['v1']));
    expect(answer).toEqual({ known: true, settle: expect.any(Function) });
    expect(ms).toBe(5_000);
  });

  test('are unknown where there is no config', async () => {
    const registry = await instance().all();
    expect(await registry.lookup(TARGET, [])).toEqual({ known: false, settle: expect.any(Function) });
  });
});

describe('a look for changes', () => {
  let registry: Registry;
  beforeEach(async () => {
    await put('length');
    registry = await instance().all();
    await put('width');
    reads.reset();
  });

  test('is not due for 5 s', async () => {
    await clock.advance(4_999);
    expect(await review(registry)).toBe('length');
    expect(reads.calls.query).toBe(0);
  });

  test('runs beside the conversion after 5 s: this review has the old plan, the next one the new', async () => {
    await clock.advance(5_000);
    expect(await review(registry)).toBe('length');
    expect(reads.calls).toMatchObject({ query: 1 });
    expect(await review(registry)).toBe('width');
    expect(reads.calls).toMatchObject({ query: 1 });
    await clock.advance(5_000);
    await review(registry);
    expect(reads.calls).toMatchObject({ query: 2, getMany: 1 });
  });

  test('is awaited for 250 ms at most before the answer goes out', async () => {
    await clock.advance(5_000);
    const release = hangStore();
    const found = await registry.lookup(TARGET, ['v1']);
    expect(fieldOf(found)).toBe('length');
    let settled = false;
    const answer = found.settle().then(() => {
      settled = true;
    });
    await clock.advance(249);
    expect(settled).toBe(false);
    await clock.advance(1);
    expect(settled).toBe(true);
    await answer;
    release();
    await vi.waitFor(() => expect(registry.get(TARGET)?.revision).toBe(2));
  });

  test('comes before the conversion after 60 s', async () => {
    await clock.advance(60_000);
    expect(await review(registry)).toBe('width');
  });

  test('that hangs holds up the first review only, for a second', async () => {
    await clock.advance(60_000);
    const release = hangStore();
    let answered: string | undefined;
    const first = review(registry).then((field) => {
      answered = field;
    });
    await clock.advance(0);
    await clock.advance(999);
    expect(answered).toBeUndefined();
    await clock.advance(1);
    expect(answered).toBe('length');
    await first;
    expect(await review(registry)).toBe('length');
    startStore();
    await clock.advance(4_000);
    // The one that hangs is given up after 5 s; the next look does not wait for it.
    expect(await review(registry)).toBe('width');
    release();
  });

  test('that fails is repeated after 5 s, and reads what it missed', async () => {
    await clock.advance(5_000);
    stopStore();
    expect(await review(registry)).toBe('length');
    startStore();
    reads.reset();
    expect(await review(registry)).toBe('length');
    expect(reads.calls.query).toBe(0);
    await clock.advance(5_000);
    await review(registry);
    expect(await review(registry)).toBe('width');
  });

  test('that fails halfway leaves every plan as it was, and is repeated', async () => {
    await clock.advance(5_000);
    store.beforeRead = (pk) => {
      if (pk === 'HEADS') throw UNREACHABLE;
    };
    await review(registry);
    expect(await review(registry)).toBe('length');
    startStore();
    await clock.advance(5_000);
    await review(registry);
    expect(await review(registry)).toBe('width');
  });

  test('is one for all reviews that arrive together', async () => {
    await clock.advance(60_000);
    expect(await Promise.all(Array.from({ length: 20 }, () => review(registry)))).toEqual(Array(20).fill('width'));
    expect(reads.calls).toMatchObject({ query: 1, getMany: 1 });
  });

  test('can be asked for at any time', async () => {
    await registry.refresh();
    expect(await review(registry)).toBe('width');
    stopStore();
    await expect(registry.refresh()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

/** An answer that is held until the next look may start; how long the look then takes is not the clock's. */
async function held<T>(answer: Promise<T>): Promise<T> {
  await clock.advance(0);
  await clock.advance(100);
  return await answer;
}

/** Moves the clock until the answer is there, and says how long that took: for what waits for the clock alone. */
async function timed<T>(answer: Promise<T>): Promise<{ answer: T; ms: number }> {
  const start = clock.now();
  let done = false;
  const ended = answer.finally(() => {
    done = true;
  });
  for (await clock.advance(0); !done; ) await clock.advance(1);
  return { answer: await ended, ms: clock.now() - start };
}

/** A config with v3 in place of v1. */
async function putVersion3(): Promise<void> {
  const rules = [{ strategy: 'FieldRename', fieldRename: { hubPath: 'spec.size', spokePath: 'spec.length' } }];
  const { config, schema } = widgets({ spec: { spokes: [{ version: 'v3', rules }] } });
  await bench.configs.put(TARGET, { config, schema: JSON.parse(JSON.stringify(schema).replace('"v1"', '"v3"')) });
}

describe('an unknown target or version', () => {
  let registry: Registry;
  beforeEach(async () => {
    registry = await instance().all();
  });

  test('is looked for before the answer', async () => {
    await clock.advance(1_000);
    await put('length');
    expect(await review(registry)).toBe('length');
    await clock.advance(100);
    expect(await review(registry, TARGET, ['v1', 'v3'])).toBe('length');
    await putVersion3();
    await clock.advance(100);
    const { entry } = await registry.lookup(TARGET, ['v3']);
    expect(entry?.router.versions).toEqual(['v2', 'v3']);
  });

  test.each([
    {
      title: 'a new target',
      store: () => put('length'),
      ask: async () => (await registry.lookup(TARGET, ['v1'])).entry?.revision,
    },
    {
      title: 'a new version',
      store: async () => {
        await put('length');
        await registry.refresh();
        await putVersion3();
      },
      ask: async () => (await registry.lookup(TARGET, ['v3'])).entry?.revision,
    },
  ])('is found although another name was looked for a moment ago: $title', async ({ store: change, ask }) => {
    expect(await review(registry, 'none.example.org')).toBeUndefined();
    await change();
    expect(await held(ask())).toBeGreaterThan(0);
  });

  test('is found although it is stored after a look on its way has read', async () => {
    const { query } = reads;
    const answered = Promise.withResolvers<void>();
    reads.query = async (given) => {
      const items = await query(given);
      await answered.promise;
      return items;
    };
    const first = review(registry, 'none.example.org');
    await clock.advance(0);
    reads.query = query;
    await put('length');
    const second = review(registry);
    answered.resolve();
    expect(await held(second)).toBe('length');
    expect(await first).toBeUndefined();
  });

  test('costs 10 Queries a second at most, whatever names are invented, and a tenth of a second each', async () => {
    await put('length');
    await registry.refresh();
    reads.reset();
    const asked: Promise<unknown>[] = [];
    for (let request = 0; request < 1_000; request++) {
      await clock.advance(1);
      asked.push(review(registry, `w${request}.example.org`));
    }
    await clock.advance(100);
    expect(new Set(await Promise.all(asked))).toEqual(new Set([undefined]));
    expect(reads.calls.query).toBeLessThanOrEqual(12);
    expect(reads.calls).toMatchObject({ get: 0 });
    expect(registry.size).toBe(1);
  });

  test('is one look for all that ask together', async () => {
    reads.reset();
    const asked = Array.from({ length: 20 }, (_, index) => review(registry, `w${index}.example.org`));
    await clock.advance(0);
    await clock.advance(100);
    await Promise.all(asked);
    // The first ask starts a look, and one more starts for those that came while it ran.
    expect(reads.calls.query).toBe(2);
  });

  test('is not waited for when the store hangs, but by the first for a second', async () => {
    const release = hangStore();
    const first = timed(review(registry, 'a.example.org'));
    expect(await first).toEqual({ answer: undefined, ms: 1_000 });
    expect(await timed(review(registry, 'b.example.org'))).toEqual({ answer: undefined, ms: 0 });
    expect(reads.calls.query).toBe(2);
    release();
  });

  test('is looked for after a tenth of a second even when the clock was set back', async () => {
    await review(registry, 'a.example.org');
    await clock.advance(-3_600_000);
    reads.reset();
    expect(await timed(review(registry, 'b.example.org'))).toEqual({ answer: undefined, ms: 100 });
    expect(reads.calls.query).toBe(1);
  });

  test.each(['__proto__', 'constructor', '', 'a#b', 'HEAD'])('may have any name: "%s"', async (target) => {
    expect(await review(registry, target)).toBeUndefined();
    expect(registry.get(target)).toBeUndefined();
  });
});

describe('what changes', () => {
  async function fresh(registry: Registry): Promise<void> {
    await clock.advance(60_000);
    await registry.refresh();
  }

  test('is dropped when the config is removed, and comes back when it is put again', async () => {
    await put('length');
    const registry = await instance().all();
    await bench.configs.remove(TARGET, { force: true });
    await fresh(registry);
    expect([registry.size, registry.get(TARGET)]).toEqual([0, undefined]);
    await put('width');
    await fresh(registry);
    expect(await review(registry)).toBe('width');
  });

  test('follows a rollback', async () => {
    await put('length');
    await put('width');
    const registry = await instance().all();
    await bench.configs.rollback(TARGET, 1);
    await fresh(registry);
    expect(await review(registry)).toBe('length');
    expect(registry.get(TARGET)?.revision).toBe(1);
  });

  test('is read again while a change was announced and not made yet', async () => {
    await put('length');
    const registry = await instance().all();
    const { put: write } = store;
    let commit = async (): Promise<void> => {};
    const held = new Promise<void>((resolve) => {
      store.put = async (item, condition) => {
        if (item.pk === 'HEADS') {
          await new Promise<void>((go) => {
            commit = async () => go();
            resolve();
          });
        }
        await write(item, condition);
      };
    });
    const putting = put('width');
    await held;
    for (let look = 0; look < 3; look++) {
      await clock.advance(5_000);
      expect(await review(registry)).toBe('length');
    }
    await commit();
    await putting;
    await clock.advance(5_000);
    await review(registry);
    expect(await review(registry)).toBe('width');
  });

  test('is found by clocks that differ by a minute', async () => {
    await put('length');
    const registry = await instance().all();
    await fresh(registry);
    const slow = createBench(store, { ...clock, now: () => clock.now() - 60_000 });
    await slow.configs.put(TARGET, widgets({ spokeField: 'width' }));
    await clock.advance(5_000);
    await registry.refresh();
    expect(await review(registry)).toBe('width');
  });

  test('is found within 10 minutes even when its announcement is lost', async () => {
    await put('length');
    await put('other', 'gone.example.org');
    const registry = await instance().all();
    await put('width');
    await put('length', 'new.example.org');
    await bench.configs.remove('gone.example.org', { force: true });
    for (const item of store.all().filter(({ pk }) => pk === 'CHANGES')) await store.remove(item);
    await clock.advance(60_000);
    expect(await review(registry)).toBe('length');
    await clock.advance(540_000);
    expect(await review(registry)).toBe('width');
    expect(await review(registry, 'new.example.org')).toBe('length');
    expect(registry.get('gone.example.org')).toBeUndefined();
  });

  test('is found by an instance that slept for longer than changes are kept', async () => {
    await put('length');
    const registry = await instance().all();
    await put('width');
    await clock.advance(72 * 60 * 60 * 1000);
    expect(await review(registry)).toBe('width');
  });

  test('never goes back: an older head is not taken on', async () => {
    await put('length');
    const old = store.all().find(({ pk }) => pk === 'HEADS') as Item;
    await put('width');
    const registry = await instance().all();
    await put('height');
    await store.put(old);
    await fresh(registry);
    expect(await review(registry)).toBe('width');
  });
});

describe('a revision that does not compile', () => {
  /** Writes a head straight to the table, as no service would: one version on, announced, with a broken plan. */
  async function breakHead(change: (head: Item) => Item = (head) => head): Promise<void> {
    const head = store.all().find(({ pk, sk }) => pk === 'HEADS' && sk === TARGET) as Item;
    const record = head['record'] as Record<string, never>;
    const version = Number(head['version']) + 1;
    const planData = (record['planData'] as unknown as Uint8Array).map((byte, index) =>
      index > 20 ? byte ^ 255 : byte,
    );
    const broken = { ...head, version, record: { ...record, revision: version, planData } };
    await store.put(change(broken));
    const change_ = { kind: 'config', name: TARGET, version, labels: {} };
    await store.put({ pk: 'CHANGES', sk: `${String(clock.now()).padStart(15, '0')}#raw`, ...change_ });
  }

  test('leaves the last good plan serving, and is reported', async () => {
    await put('length');
    const registry = await instance().all();
    await clock.advance(1_000);
    await breakHead();
    await clock.advance(60_000);
    expect(await review(registry)).toBe('length');
    expect(registry.snapshot()).toEqual([
      {
        target: TARGET,
        ready: true,
        revision: 1,
        planHash: registry.get(TARGET)?.planHash,
        versions: ['v2', 'v1'],
        compiledAt: '2026-01-01T00:00:00.000Z',
        lastError: expect.stringContaining('revision 2: the stored plan of widgets.example.org is not whole'),
        lastErrorAt: '2026-01-01T00:01:01.000Z',
      },
    ]);
    expect(registry.drain()).toMatchObject({
      compiles: 1,
      loadFailures: [{ target: TARGET, revision: 2, reason: expect.stringContaining('not whole') }],
      looks: 1,
      lookFailures: 0,
    });
  });

  test('is not tried again until the next change, which clears the error', async () => {
    await put('length');
    const registry = await instance().all();
    await breakHead();
    await clock.advance(60_000);
    await review(registry);
    for (let look = 0; look < 5; look++) {
      await clock.advance(10_000);
      await review(registry);
    }
    expect(registry.drain().loadFailures).toHaveLength(1);
    await put('width');
    await clock.advance(60_000);
    expect(await review(registry)).toBe('width');
    expect(registry.snapshot()[0]).not.toHaveProperty('lastError');
  });

  test.each<{ title: string; change: (head: Item) => Item }>([
    { title: 'whose plan is damaged', change: (head) => head },
    { title: 'without a record of the right shape', change: (head) => ({ ...head, record: { nothing: true } }) },
    { title: 'without a history', change: (head) => ({ ...head, history: 'none' }) },
    { title: 'without anything', change: ({ pk, sk }) => ({ pk, sk }) },
  ])('$title, makes an instance that has no plan yet fall back to the one before', async ({ change }) => {
    await put('length');
    await put('width');
    await put('other', 'others.example.org');
    await breakHead(change);
    const registry = await instance().all();
    expect(await review(registry)).toBe('width');
    expect(await review(registry, 'others.example.org')).toBe('other');
    expect(registry.snapshot().find(({ target }) => target === TARGET)).toMatchObject({
      ready: true,
      revision: 2,
      lastError: expect.stringMatching(/not whole|damaged/),
    });
  });

  test('falls back to the revision that was active before a rollback, too', async () => {
    await put('length');
    await put('width');
    await bench.configs.rollback(TARGET, 1);
    const failing: typeof compileRevision = async (source) => {
      if (JSON.stringify(source).includes('spec.length')) throw new Error('no longer supported');
      return await compileRevision(source);
    };
    const registry = await instance({ compileRevision: failing }).all();
    expect(await review(registry)).toBe('width');
    expect(registry.snapshot()[0]).toMatchObject({
      ready: true,
      revision: 2,
      lastError: 'revision 1: no longer supported',
    });
  });

  test('is not ready, and says why, when there is nothing to fall back to', async () => {
    await put('length');
    const registry = await instance({ compileRevision: () => Promise.reject(new Error('no way')) }).all();
    const { known, entry, error } = await registry.lookup(TARGET, ['v1']);
    expect({ known, entry, error }).toEqual({ known: true, entry: undefined, error: 'revision 1: no way' });
    expect(registry.snapshot()).toEqual([
      {
        target: TARGET,
        ready: false,
        revision: 1,
        versions: [],
        lastError: 'revision 1: no way',
        lastErrorAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('an endpoint', () => {
  test('reads and holds only what its selector matches', async () => {
    for (let index = 0; index < 30; index++) {
      const labels = { team: index % 10 === 0 ? 'a' : 'b', parity: index % 2 === 0 ? 'even' : 'odd' };
      await put('length', `w${index}.example.org`, { labels });
    }
    const { token = '' } = await bench.endpoints.put(
      'a',
      webhookServer('a', { cacheSelector: { matchLabels: { team: 'a' } } }),
    );
    reads.reset();
    const registry = (await instance().open('a', token)) as Registry;
    expect(registry.snapshot().map(({ target }) => target)).toEqual([
      'w0.example.org',
      'w10.example.org',
      'w20.example.org',
    ]);
    const byKind = Map.groupBy(reads.read, ({ pk }) => pk.split('#')[0] as string);
    expect([...byKind].map(([kind, items]) => [kind, items.length])).toEqual([
      ['ENDPOINTS', 1],
      ['LABEL', 3],
      ['HEADS', 3],
    ]);
    await put('width', 'w1.example.org', { labels: { team: 'b' } });
    await put('width', 'w10.example.org', { labels: { team: 'a' } });
    await clock.advance(60_000);
    reads.reset();
    expect(await review(registry, 'w10.example.org')).toBe('width');
    expect(reads.read.filter(({ pk }) => pk === 'HEADS').map(({ sk }) => sk)).toEqual(['w10.example.org']);
  });

  test.each([
    { title: 'no selector', cacheSelector: null, expected: ['named', 'plain'] },
    { title: 'an equality', cacheSelector: { matchLabels: { team: 'a' } }, expected: ['named'] },
    {
      title: 'an exclusion',
      cacheSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
      expected: ['plain'],
    },
    {
      title: 'an absence',
      cacheSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] },
      expected: ['plain'],
    },
    {
      title: 'several values',
      cacheSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }] },
      expected: ['named'],
    },
  ])('with $title serves the configs that match and name it or none', async ({ cacheSelector, expected }) => {
    const { token = '' } = await bench.endpoints.put('public', webhookServer('public', { cacheSelector }));
    await put('length', 'named.example.org', { endpoint: 'public', labels: { team: 'a' } });
    await put('length', 'plain.example.org');
    await put('length', 'foreign.example.org', { endpoint: 'other', labels: { team: 'a' } });
    const registry = await instance().open('public', token);
    expect(registry?.snapshot().map(({ target }) => target.split('.')[0])).toEqual(expected);
  });

  test('drops and gains configs whose labels change', async () => {
    await put('length', 'a.example.org', { labels: { team: 'a' } });
    await put('length', 'b.example.org', { labels: { team: 'b' } });
    const { token = '' } = await bench.endpoints.put(
      'a',
      webhookServer('a', { cacheSelector: { matchLabels: { team: 'a' } } }),
    );
    const registry = (await instance().open('a', token)) as Registry;
    await put('length', 'a.example.org', { labels: { team: 'b' } });
    await put('length', 'b.example.org', { labels: { team: 'a' } });
    await clock.advance(60_000);
    await registry.refresh();
    expect(registry.snapshot().map(({ target }) => target)).toEqual(['b.example.org']);
  });

  test('takes another selector on', async () => {
    await put('length', 'a.example.org', { labels: { team: 'a' } });
    await put('length', 'b.example.org', { labels: { team: 'b' } });
    const selecting = (team: string) => webhookServer('public', { cacheSelector: { matchLabels: { team } } });
    const { token = '' } = await bench.endpoints.put('public', selecting('a'));
    const registries = instance();
    const registry = (await registries.open('public', token)) as Registry;
    await bench.endpoints.put('public', selecting('b'));
    await clock.advance(60_000);
    // The look that finds the new selector fails to read the index; the next one makes up for it.
    store.beforeRead = (pk) => {
      if (pk.startsWith('LABEL#')) throw UNREACHABLE;
    };
    expect(await review(registry, 'a.example.org')).toBe('length');
    startStore();
    await clock.advance(60_000);
    expect(await review(registry, 'b.example.org')).toBe('length');
    expect(registry.snapshot().map(({ target }) => target)).toEqual(['b.example.org']);
  });
});

describe('the door of an endpoint', () => {
  let token: string;
  let registries: Registries;
  beforeEach(async () => {
    token = (await bench.endpoints.put('public', webhookServer('public', { default: true }))).token as string;
    await put('length');
    registries = instance();
  });

  test('opens with its token, warm without any read', async () => {
    expect(await registries.open('public', token)).toBeDefined();
    reads.reset();
    expect(await review((await registries.open('public', token)) as Registry)).toBe('length');
    expect(reads.read).toEqual([]);
    stopStore();
    await clock.advance(3_600_000);
    expect(await review((await registries.open('public', token)) as Registry)).toBe('length');
  });

  test.each([
    { title: 'a wrong token', name: 'public', given: 'wrong' },
    { title: 'no token', name: 'public', given: '' },
    { title: 'an unknown endpoint', name: 'none', given: 'wrong' },
    { title: 'an inherited name', name: 'constructor', given: 'wrong' },
  ])('stays shut, with the same reads, for $title', async ({ name, given }) => {
    await registries.open('public', token);
    reads.reset();
    const asked: Promise<unknown>[] = [];
    for (let attempt = 0; attempt < 1_000; attempt++) {
      await clock.advance(1);
      asked.push(registries.open(name, given));
    }
    await clock.advance(100);
    expect(new Set(await Promise.all(asked))).toEqual(new Set([undefined]));
    expect(reads.calls).toMatchObject({ get: 0, getMany: 0 });
    expect(reads.calls.query).toBeLessThanOrEqual(12);
  });

  test('does not open with the token of another endpoint', async () => {
    const other = await bench.endpoints.put('other', webhookServer('other'));
    expect(await registries.open('public', other.token as string)).toBeUndefined();
    expect(await registries.open('other', other.token as string)).toBeDefined();
  });

  test('opens with a new token at once, and with the one before while it is valid', async () => {
    await registries.open('public', token);
    await clock.advance(1_000);
    const { token: rotated = '' } = await bench.endpoints.rotate('public', { graceSeconds: 100 });
    expect(await timed(registries.open('public', rotated))).toMatchObject({ answer: expect.anything(), ms: 0 });
    expect(await registries.open('public', token)).toBeDefined();
    await clock.advance(100_000);
    expect((await timed(registries.open('public', token))).answer).toBeUndefined();
  });

  test.each([0, 1, 50, 99])('opens with a token that is made %i ms after a wrong one was tried', async (later) => {
    await registries.open('public', token);
    expect(await registries.open('public', 'wrong')).toBeUndefined();
    await clock.advance(later);
    const { token: rotated = '' } = await bench.endpoints.rotate('public');
    const { answer, ms } = await timed(registries.open('public', rotated));
    expect(answer).toBeDefined();
    expect(ms).toBe(100 - later);
  });

  test('opens with a new token while wrong ones are tried all the time', async () => {
    await registries.open('public', token);
    const tried: Promise<unknown>[] = [];
    for (let attempt = 0; attempt < 30; attempt++) {
      tried.push(registries.open('public', `wrong-${attempt}`));
      const { token: rotated = '' } = await bench.endpoints.rotate('public');
      await clock.advance(7);
      expect((await timed(registries.open('public', rotated))).answer).toBeDefined();
    }
    await clock.advance(100);
    expect(new Set(await Promise.all(tried))).toEqual(new Set([undefined]));
  });

  /** What a whole review does: whether its answer goes out. */
  async function admitted(text: string): Promise<boolean> {
    const registry = await registries.open('public', text);
    if (registry === undefined) return false;
    await review(registry);
    return registries.admits('public', text);
  }

  test.each([
    { title: 'rotation without grace', end: () => bench.endpoints.rotate('public', { graceSeconds: 0 }) },
    { title: 'rotation with a second of grace', end: () => bench.endpoints.rotate('public', { graceSeconds: 1 }) },
    { title: 'removal of its endpoint', end: () => bench.endpoints.remove('public') },
  ])('shuts within 5 s for a token that was ended by $title, however long nobody looked', async ({ end }) => {
    for (const idle of [0, 1_000, 4_999, 5_000, 30_000, 59_999, 60_000, 3_600_000]) {
      const made = await bench.endpoints.put('public', webhookServer('public'));
      const text = made.token ?? (await bench.endpoints.rotate('public')).token ?? '';
      await clock.advance(1_000);
      expect(await admitted(text)).toBe(true);
      await clock.advance(idle);
      await end();
      await clock.advance(5_000);
      expect((await timed(admitted(text))).answer, `after ${idle} ms`).toBe(false);
    }
  });

  test('shuts for an ended token at the first review of an instance that nobody asked for 5 s', async () => {
    await registries.open('public', token);
    await clock.advance(5_000);
    await bench.endpoints.rotate('public', { graceSeconds: 0 });
    expect((await timed(admitted(token))).answer).toBe(false);
  });

  test('shuts, with the registry kept for the other token, and after a removal', async () => {
    const registry = (await registries.open('public', token)) as Registry;
    const { token: rotated = '' } = await bench.endpoints.rotate('public', { graceSeconds: 0 });
    await clock.advance(60_000);
    expect((await timed(registries.open('public', token))).answer).toBeUndefined();
    expect(await registries.open('public', rotated)).toBe(registry);
    await bench.endpoints.remove('public');
    await clock.advance(60_000);
    expect((await timed(registries.open('public', rotated))).answer).toBeUndefined();
    const again = await bench.endpoints.put('public', webhookServer('public'));
    await clock.advance(1_000);
    expect(await registries.open('public', again.token as string)).toBeDefined();
  });

  test('is UNAVAILABLE while endpoints have never been read', async () => {
    stopStore();
    await expect(registries.open('public', token)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    startStore();
    expect(await registries.open('public', token)).toBeDefined();
  });

  test('is not blocked by one endpoint that is damaged in the table', async () => {
    await store.put({ pk: 'ENDPOINTS', sk: 'broken', name: 5 });
    expect(await registries.open('public', token)).toBeDefined();
    expect(await registries.open('broken', token)).toBeUndefined();
  });

  test.each([
    { title: 'the default endpoint', others: ['other'] },
    { title: 'the only endpoint', others: [] },
  ])('is warmed during init: $title', async ({ others }) => {
    for (const name of others) await bench.endpoints.put(name, webhookServer(name));
    if (others.length === 0) await bench.endpoints.put('public', webhookServer('public'));
    await registries.warm();
    reads.reset();
    expect(await review((await registries.open('public', token)) as Registry)).toBe('length');
    expect(reads.read).toEqual([]);
  });

  test('is not waited for by init beyond its budget, whatever hangs', async () => {
    for (const hung of ['ENDPOINTS', 'CONFIGS', 'HEADS']) {
      store.beforeRead = (pk) => (pk.startsWith(hung) ? new Promise<void>(() => {}) : undefined);
      const { ms } = await timed(instance({ loadBudgetMs: 700 }).warm());
      expect(ms, hung).toBe(700);
    }
  });

  test('is warmed with what slow reads leave of the budget', async () => {
    const slow: typeof compileRevision = async (source) => {
      await clock.advance(100);
      return await compileRevision(source);
    };
    for (let index = 0; index < 20; index++) await put('length', `w${index}.example.org`);
    store.beforeRead = async (pk) => {
      if (pk === 'ENDPOINTS' || pk === 'CONFIGS') await clock.advance(300);
    };
    const warmed = instance({ compileRevision: slow, loadBudgetMs: 1_000 });
    await warmed.warm();
    startStore();
    const registry = (await warmed.open('public', token)) as Registry;
    expect(registry.size).toBe(21);
    expect(registry.snapshot().filter(({ ready }) => ready)).toHaveLength(4);
  });
});
