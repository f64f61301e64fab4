import { describe, expect, test } from 'vitest';
import {
  blobPrefix,
  blobsOf,
  changeKey,
  changesFrom,
  indexPrefix,
  indexSort,
  labelPartition,
  revisionSort,
} from '../../../lib/store/keys.ts';

describe('sort keys', () => {
  test.each([
    { what: 'revisions', keys: [1, 2, 10, 99, 100, 12_345].map(revisionSort) },
    { what: 'chunks of head versions', keys: [1, 9, 10, 101].map((version) => blobPrefix(version, 'id')) },
    { what: 'changes', keys: [0, 999, 1_767_225_600_000, 4_102_444_800_000].map((time) => changeKey(time, 'a').sk) },
    {
      what: 'targets in an index, also where one name begins another',
      keys: ['a', 'a-b', 'a.b', 'a0', 'aa', 'b'].map((target) => indexSort(target, 'ffff')),
    },
  ])('put $what in their order', ({ keys }) => {
    expect([...keys].sort()).toEqual(keys);
  });

  test('bound the changes from a time on', () => {
    expect(changesFrom(1000) < changeKey(1000, '0').sk).toBe(true);
    expect(changesFrom(1000) > changeKey(999, 'z').sk).toBe(true);
    expect(changesFrom(-5)).toBe(changesFrom(0));
  });

  test('bound the chunks up to a head version', () => {
    expect(blobPrefix(7, 'ffff') < blobsOf(8)).toBe(true);
    expect(blobPrefix(8, '0000') >= blobsOf(8)).toBe(true);
  });

  test('keep the entries of a target apart from those of one whose name begins with it', () => {
    expect(indexSort('a.b', 'x').startsWith(indexPrefix('a'))).toBe(false);
  });

  test('keep labels apart', () => {
    expect(labelPartition('a', 'b')).not.toBe(labelPartition('a/b', ''));
  });
});
