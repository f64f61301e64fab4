import { beforeEach, describe, expect, test } from 'vitest';
import type { ConfigService, PutInput, PutOptions } from '../../../lib/configs/types.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Item } from '../../../lib/store/ports.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { WIDGET_CONFIG_TEXT, webhookServer, widget, widgetCrd, widgets } from '../../support/widgets.ts';

const TARGET = 'widgets.example.org';

let store: MemoryStore;
let bench: Bench;
let configs: ConfigService;
beforeEach(() => {
  const clock = createTestClock();
  store = createMemoryStore(clock);
  bench = createBench(store, clock);
  configs = bench.configs;
});

describe('putting what is active already', () => {
  /** Puts and counts the writes. */
  async function count(input: PutInput, options?: PutOptions) {
    let writes = 0;
    store.beforeWrite = () => {
      writes += 1;
    };
    const { revision, created, etag } = await configs.put(TARGET, input, options);
    store.beforeWrite = () => {};
    return { revision, created, etag, writes };
  }
  const same = { created: false, writes: 0 };
  const text = { config: WIDGET_CONFIG_TEXT, schema: JSON.stringify(widgetCrd()) };

  const object = widgets({ labels: { b: '1', a: '2' } });
  test.each<{ title: string; first: PutInput; again: PutInput }>([
    { title: 'texts', first: text, again: text },
    { title: 'objects', first: object, again: structuredClone(object) },
    { title: 'an object and its text', first: object, again: { ...object, config: JSON.stringify(object.config) } },
    { title: 'warnings', first: widgets({ endpoint: 'none' }), again: widgets({ endpoint: 'none' }) },
  ])('writes nothing, and answers with the active revision: $title', async ({ first, again }) => {
    const result = await configs.put(TARGET, first);
    const before = store.all();
    await bench.clock.advance(1000);
    expect(await configs.put(TARGET, again)).toEqual({ ...result, created: false });
    expect(await count(again)).toEqual({ ...same, revision: 1, etag: '"1"' });
    expect(store.all()).toEqual(before);
    expect((await configs.revisions(TARGET)).total).toBe(1);
  });

  test.each([
    { title: 'a comment in the config', input: { ...text, config: `${WIDGET_CONFIG_TEXT}# because\n` } },
    { title: 'a blank in the schema', input: { ...text, schema: `${text.schema} ` } },
    { title: 'prose of the schema', input: { ...text, schema: text.schema.replaceAll('A widget.', 'Any widget.') } },
  ])('is not the case after a change of $title: a new revision with the same plan hash', async ({ input }) => {
    const { planHash } = await configs.put(TARGET, text);
    expect(await configs.put(TARGET, input)).toMatchObject({ revision: 2, created: false, etag: '"2"', planHash });
    expect(await configs.revision(TARGET, 2)).toMatchObject(input);
  });

  test('is said under dryRun, without an ETag', async () => {
    await configs.put(TARGET, text);
    expect(await count(text, { dryRun: true })).toEqual({ ...same, revision: 1, etag: undefined });
  });

  test.each(['"1"', '*'])('passes If-Match: %s, and keeps the ETag', async (ifMatch) => {
    await configs.put(TARGET, text);
    expect(await count(text, { ifMatch })).toEqual({ ...same, revision: 1, etag: '"1"' });
  });

  test('is judged by the active revision, not by the last one', async () => {
    const later = widgets({ spokeField: 'width' });
    await configs.put(TARGET, text);
    await configs.put(TARGET, later);
    expect(await count(later)).toEqual({ ...same, revision: 2, etag: '"2"' });
    await configs.rollback(TARGET, 1);
    expect(await count(text)).toEqual({ ...same, revision: 1, etag: '"3"' });
    expect(await configs.put(TARGET, later, { dryRun: true })).toMatchObject({ revision: 3 });
    expect(await configs.put(TARGET, later)).toMatchObject({ revision: 3, etag: '"4"' });
  });

  test('is a creation after a removal', async () => {
    await configs.put(TARGET, text);
    await configs.remove(TARGET, { force: true });
    expect(await configs.put(TARGET, text)).toMatchObject({ revision: 2, created: true, etag: '"3"' });
    expect(await configs.get(TARGET)).toMatchObject({ revision: 2 });
  });

  test('makes a new revision when its findings have changed', async () => {
    const input = widgets({ endpoint: 'public' });
    await configs.put(TARGET, input);
    await bench.endpoints.put('public', webhookServer('public'));
    expect(await configs.put(TARGET, input)).toMatchObject({ revision: 2, diagnostics: [] });
    expect((await configs.get(TARGET)).warnings).toEqual([]);
  });

  const isHead = ({ pk }: Item) => pk === 'HEADS';
  const inRecord = (change: object) => (head: Item) => {
    return { ...head, record: { ...(head['record'] as object), ...change } } as Item;
  };
  const junk = new Uint8Array([1, 2, 3]);
  test.each<{ title: string; find: (item: Item) => boolean; damage: (item: Item) => Item | undefined }>([
    { title: 'no source', find: ({ sk }) => sk.includes('#text#'), damage: () => undefined },
    { title: 'a torn source', find: ({ sk }) => sk.includes('#text#'), damage: (item) => ({ ...item, data: junk }) },
    { title: 'no plan', find: isHead, damage: inRecord({ planData: undefined }) },
    { title: 'a torn plan', find: isHead, damage: inRecord({ planData: junk }) },
    { title: 'torn findings', find: isHead, damage: inRecord({ findingsData: junk }) },
    { title: 'labels that its text does not have', find: isHead, damage: inRecord({ labels: { team: 'b' } }) },
    { title: 'a claim kind that its schema does not have', find: isHead, damage: inRecord({ claimKind: 'Claim' }) },
  ])('repairs a revision with $title: the same content is a new revision', async ({ find, damage }) => {
    const { planHash } = await configs.put(TARGET, text);
    const item = store.all().find(find) as Item;
    const damaged = damage(item);
    await (damaged ? store.put(damaged) : store.remove(item));
    expect(await configs.put(TARGET, text, { dryRun: true })).toMatchObject({ revision: 2 });
    expect(await configs.put(TARGET, text)).toMatchObject({ revision: 2, created: false, etag: '"2"', planHash });
    expect(await configs.revision(TARGET, 2)).toMatchObject({ ...text, labels: {} });
    const { object } = await configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1' });
    expect(object['spec']).toEqual({ length: 1 });
    expect(await count(text)).toEqual({ ...same, revision: 2, etag: '"2"' });
  });

  test('fails, and writes nothing, when the database stops before the stored texts are read', async () => {
    await configs.put(TARGET, text);
    const before = store.all();
    let reads = 0;
    store.beforeRead = () => {
      if (++reads > 1) throw new AppError('UNAVAILABLE', 'stopped');
    };
    await expect(configs.put(TARGET, text)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(store.all()).toEqual(before);
  });
});
