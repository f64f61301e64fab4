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
    expect(reads.read.map(({ pk }) => pk)).toEqual([`CONFIG#${last}`]);
    await registry.compilePending(200);
    expect(registry.snapshot().filter((row) => row.ready)).toHaveLength(61);
    await registry.compilePending(Number.POSITIVE_INFINITY);
    expect(registry.snapshot().every((row) => row.ready)).toBe(true);
  });

  test('stay pending when their first use finds the store gone, and are tried again', async () => {
    await put('length');
    const registry = await instance({ loadBudgetMs: 0 }).all();
    stopStore();
    expect(await review(registry)).toBeUndefined();
    startStore();
    expect(await review(registry)).toBe('length');
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
      if (pk.startsWith('CONFIG#')) throw UNREACHABLE;
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

describe('an unknown target or version', () => {
  test('is looked for before the answer', async () => {
    const registry = await instance().all();
    await clock.advance(1_000);
    await put('length');
    expect(await review(registry)).toBe('length');
    expect(await review(registry, TARGET, ['v1', 'v3'])).toBe('length');
    const rules = [{ strategy: 'FieldRename', fieldRename: { hubPath: 'spec.size', spokePath: 'spec.length' } }];
    const { config, schema } = widgets({ spec: { spokes: [{ version: 'v3', rules }] } });
    await bench.configs.put(TARGET, { config, schema: JSON.parse(JSON.stringify(schema).replace('"v1"', '"v3"')) });
    await clock.advance(250);
    const { entry } = await registry.lookup(TARGET, ['v3']);
    expect(entry?.router.versions).toEqual(['v2', 'v3']);
  });

  test('costs 4 Queries a second at most, whatever names are invented', async () => {
    await put('length');
    const registry = await instance().all();
    reads.reset();
    for (let request = 0; request < 1_000; request++) {
      await clock.advance(1);
      expect(await review(registry, `w${request}.example.org`)).toBeUndefined();
    }
    expect(reads.calls.query).toBeLessThanOrEqual(4);
    expect(reads.calls).toMatchObject({ get: 0 });
    expect(registry.size).toBe(1);
  });

  test.each(['__proto__', 'constructor', '', 'a#b', 'HEAD'])('may have any name: "%s"', async (target) => {
    const registry = await instance().all();
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
        if (item.sk === 'HEAD') {
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
    const old = store.all().find(({ sk }) => sk === 'HEAD') as Item;
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
    const head = store.all().find(({ pk, sk }) => pk === `CONFIG#${TARGET}` && sk === 'HEAD') as Item;
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
    expect(registry.drain()).toMatchObject({ compiles: 1, compileErrors: 1, looks: 1, lookFailures: 0 });
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
    expect(registry.drain().compileErrors).toBe(1);
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
    expect(await review(registry)).toBeUndefined();
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
      ['CONFIG', 3],
    ]);
    await put('width', 'w1.example.org', { labels: { team: 'b' } });
    await put('width', 'w10.example.org', { labels: { team: 'a' } });
    await clock.advance(60_000);
    reads.reset();
    expect(await review(registry, 'w10.example.org')).toBe('width');
    expect(reads.read.filter(({ pk }) => pk.startsWith('CONFIG#')).map(({ pk }) => pk)).toEqual([
      'CONFIG#w10.example.org',
    ]);
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
    for (let attempt = 0; attempt < 1_000; attempt++) {
      await clock.advance(1);
      expect(await registries.open(name, given)).toBeUndefined();
    }
    expect(reads.calls).toMatchObject({ get: 0, getMany: 0 });
    expect(reads.calls.query).toBeLessThanOrEqual(4);
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
    expect(await registries.open('public', rotated)).toBeDefined();
    expect(await registries.open('public', token)).toBeDefined();
    await clock.advance(100_000);
    expect(await registries.open('public', token)).toBeUndefined();
  });

  test('shuts for a token that was ended, and for an endpoint that was removed', async () => {
    const registry = (await registries.open('public', token)) as Registry;
    const { token: rotated = '' } = await bench.endpoints.rotate('public', { graceSeconds: 0 });
    await clock.advance(60_000);
    expect(await registries.open('public', token)).toBeUndefined();
    expect(await registries.open('public', rotated)).toBe(registry);
    await bench.endpoints.remove('public');
    await clock.advance(60_000);
    expect(await registries.open('public', rotated)).toBeUndefined();
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
});
