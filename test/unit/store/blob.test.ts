import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { packBlob, unpackBlob } from '../../../lib/store/blob.ts';
import type { Item } from '../../../lib/store/ports.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';

const PLACE = { target: 'widgets.example.org', prefix: 'BLOB#0000000001#id#', what: 'text' };
const INLINE = 1024;

let store: MemoryStore;
beforeEach(() => {
  store = createMemoryStore({ now: () => 0 });
});

/** Text that does not compress: it needs as many bytes as `length` says. */
function noise(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}

async function chunked() {
  const text = noise(1_500_000);
  const { ref, inline, writes } = await packBlob(text, PLACE, INLINE);
  await store.writeMany(writes);
  return { text, ref, inline };
}

describe('a text that fits', () => {
  test.each(['', 'short', 'ä'.repeat(10_000)])('stays in its item', async (text) => {
    const { ref, inline, writes } = await packBlob(text, PLACE, INLINE);
    expect(writes).toEqual([]);
    expect(ref.chunks).toBe(0);
    expect(await unpackBlob(store, ref, PLACE, inline)).toBe(text);
  });

  test.each([
    { title: 'is gone', damage: () => undefined, reason: 'it is missing' },
    { title: 'was cut', damage: (data: Uint8Array) => data.subarray(1), reason: 'bytes instead of' },
    { title: 'was changed', damage: (data: Uint8Array) => data.map((byte) => byte ^ 1), reason: 'hash does not match' },
  ])('is refused when it $title', async ({ damage, reason }) => {
    const { ref, inline } = await packBlob('short', PLACE, INLINE);
    await expect(unpackBlob(store, ref, PLACE, damage(inline as Uint8Array))).rejects.toThrow(reason);
  });
});

describe('a text that is too large for its item', () => {
  test('is split, and put together again', async () => {
    const { text, ref, inline } = await chunked();
    expect(inline).toBeUndefined();
    expect(ref.chunks).toBe(store.all().length);
    expect(ref.chunks).toBeGreaterThan(3);
    expect(await unpackBlob(store, ref, PLACE)).toBe(text);
  });

  test.each<{ title: string; tear: (items: Item[]) => Promise<void>; reason: string }>([
    {
      title: 'a chunk is missing',
      tear: async ([first]) => store.remove(first as Item),
      reason: /only \d of its \d/.source,
    },
    {
      title: 'a chunk is another write’s',
      tear: async ([first, second]) => store.put({ ...(first as Item), data: (second as Item)['data'] }),
      reason: 'hash does not match',
    },
    {
      title: 'a chunk was cut',
      tear: async ([first]) => store.put({ ...(first as Item), data: new Uint8Array(3) }),
      reason: 'bytes instead of',
    },
    {
      title: 'a chunk holds no bytes at all',
      tear: async ([first]) => store.put({ ...(first as Item), data: 'text' }),
      reason: 'bytes instead of',
    },
  ])('is refused, with its name, when $title', async ({ tear, reason }) => {
    const { ref } = await chunked();
    await tear(store.all());
    const error = await unpackBlob(store, ref, PLACE).catch((caught) => caught);
    expect(error).toMatchObject({ code: 'INTERNAL', message: expect.stringMatching(new RegExp(reason)) });
    expect(error.message).toContain('widgets.example.org');
  });
});
