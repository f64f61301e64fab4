import { describe, expect, test } from 'vitest';
import { itemBytes } from '../../../lib/store/item-size.ts';
import type { Attribute } from '../../../lib/store/ports.ts';

describe('the size of an item', () => {
  const empty = itemBytes({ pk: 'p', sk: 's' });

  test('counts names and values of the key', () => {
    expect(empty).toBe(6);
  });

  test.each<{ title: string; value: Attribute; bytes: number }>([
    { title: 'null', value: null, bytes: 1 },
    { title: 'a boolean', value: true, bytes: 1 },
    { title: 'text in UTF-8', value: 'äö', bytes: 4 },
    { title: 'a number', value: 12_345_678, bytes: 5 },
    { title: 'binary', value: new Uint8Array(7), bytes: 7 },
    { title: 'an empty list', value: [], bytes: 3 },
    { title: 'a list', value: ['ab', null], bytes: 3 + 1 + 2 + 1 + 1 },
    { title: 'a map, without its undefined entries', value: { ab: 'c', d: undefined }, bytes: 3 + 1 + 2 + 1 },
  ])('counts $title as DynamoDB does', ({ value, bytes }) => {
    expect(itemBytes({ pk: 'p', sk: 's', a: value }) - empty).toBe(1 + bytes);
  });
});
