import { expect, test } from 'vitest';
import { nearestName } from '../../../lib/system/nearest-name.ts';

const KNOWN = ['stage', 'deploy', 'convertMemory', 'convertTracing', 'apiTracing', 'primary_color'];

test.each([
  ['Stage', 'stage'],
  ['stag', 'stage'],
  ['convert-memory', 'convertMemory'],
  ['CONVERT_MEMORY', 'convertMemory'],
  ['convertMemroy', 'convertMemory'],
  ['tracingApi', undefined],
  ['apitracng', 'apiTracing'],
  ['primaryColour', 'primary_color'],
  ['x', undefined],
  ['', undefined],
  ['__proto__', undefined],
  ['convertMemory'.repeat(1_000), undefined],
])('%s was meant to be %s', (name, nearest) => {
  expect(nearestName(name, KNOWN)).toBe(nearest);
});

test('nothing is near where nothing is known', () => {
  expect(nearestName('stage', [])).toBeUndefined();
});
