import { describe, expect, test } from 'vitest';
import {
  API_ACCESS,
  CONVERT_ACCESS,
  RECONCILE_ACCESS,
  type TableAccess,
  WORKER_ACCESS,
} from '../../../lib/store/access.ts';
import * as keys from '../../../lib/store/keys.ts';

const PATTERNS: readonly string[] = Object.values(keys.PARTITIONS);

/** IAM's `StringLike`, as far as our patterns use it. */
function isIn(pattern: string, partition: string): boolean {
  return pattern.endsWith('*') ? partition.startsWith(pattern.slice(0, -1)) : partition === pattern;
}

/** What every function of keys.ts makes that returns a key or the name of a partition, and every constant. */
const partitions = Object.entries<any>(keys).flatMap(([name, member]) => {
  if (name === 'PARTITIONS') return [];
  // `auditKey` and `changeKey` take a time first; a number is text enough for all the others.
  const made = typeof member === 'function' ? member(0, 'b', 'c', 0) : member;
  const partition = typeof made === 'object' ? made.pk : made;
  const isPartition = typeof made === 'object' || typeof member === 'string' || name.endsWith('Partition');
  return isPartition ? [{ name, partition: partition as string }] : [];
});

describe('the patterns of the partitions', () => {
  test.each(partitions)('have exactly one for $name', ({ partition }) => {
    expect(PATTERNS.filter((pattern) => isIn(pattern, partition))).toHaveLength(1);
  });

  test.each(PATTERNS)('%s is one that keys are made for', (pattern) => {
    expect(partitions.filter(({ partition }) => isIn(pattern, partition))).not.toEqual([]);
  });

  test.each(PATTERNS)('%s stands for nothing but its own kind: a wildcard at the end only, after a #', (pattern) => {
    expect(pattern).toMatch(/^[A-Z-]+(#\*)?$/);
  });
});

describe('the access of the functions', () => {
  const functions: readonly TableAccess[] = [CONVERT_ACCESS, API_ACCESS, WORKER_ACCESS, RECONCILE_ACCESS];
  const grants = functions.flatMap((access) => Object.entries(access));
  const partitionsOf = (access: TableAccess) => new Set(Object.values(access).flat());
  const ofApps = ['apps', 'app', 'domains', 'tokens', 'audit', 'cache', 'limit', 'pass'] as const;
  const ofConfigs = ['heads', 'config', 'configs', 'label', 'changes', 'endpoints', 'defaultEndpoint'] as const;

  test('covers every partition, and names no other', () => {
    expect(new Set(grants.flatMap(([, granted]) => granted))).toEqual(new Set(PATTERNS));
  });

  test.each(ofApps)('of convert has nothing of %s', (name) => {
    expect(partitionsOf(CONVERT_ACCESS)).not.toContain(keys.PARTITIONS[name]);
  });

  test.each(ofConfigs)('of worker and reconcile has nothing of %s', (name) => {
    for (const access of [WORKER_ACCESS, RECONCILE_ACCESS]) {
      expect(partitionsOf(access)).not.toContain(keys.PARTITIONS[name]);
    }
  });

  test('of the index is for apps only, and convert has none', () => {
    expect(functions.map(({ QueryAttention }) => QueryAttention)).toEqual([undefined, ['APPS'], undefined, ['APPS']]);
  });

  test.each(PATTERNS)('lets somebody write %s', (pattern) => {
    const writers = grants.filter(([action, granted]) => action === 'PutItem' && granted.includes(pattern));
    expect(writers).not.toEqual([]);
  });
});
