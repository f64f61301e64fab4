import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { strategies } from '../../lib/engine/strategies/index.ts';
import { parseJson } from '../../lib/k8s/json.ts';
import { checkVector, type Vector } from './vector.ts';

const vectors = readFileSync(new URL('conversion.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => parseJson(line) as unknown as Vector & { strategies: string[] });

describe('the recorded results of the Go peer', () => {
  test.each(vectors)('$id', async (vector) => {
    const failed = (await checkVector(vector)).filter(({ difference }) => difference !== undefined);
    expect(failed).toEqual([]);
  });

  test('cover every strategy, with 5,895 checks', () => {
    const seen = new Set(vectors.flatMap((vector) => vector.strategies));
    expect([...seen].sort()).toEqual(strategies.map(({ name }) => name).sort());
    expect(vectors.reduce((sum, { conversions }) => sum + 1 + conversions.length, 0)).toBe(5895);
  });
});
