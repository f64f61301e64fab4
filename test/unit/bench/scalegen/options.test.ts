import { expect, test } from 'vitest';
import { parseOptions } from '../../../bench/scalegen/options.ts';

test('without flags the fleet is that of the Go tool', () => {
  expect(parseOptions([])).toEqual({
    shape: { targets: 4, strategiesMin: 3, strategiesMax: 10, seed: 1 },
    instances: 5,
    parallel: 8,
  });
});

test('every number can be given', () => {
  const flags = '--targets 30 --instances 2 --strategies-min 1 --strategies-max 29 --seed=-7 --parallel 3';
  expect(parseOptions(flags.split(' '))).toEqual({
    shape: { targets: 30, strategiesMin: 1, strategiesMax: 29, seed: -7 },
    instances: 2,
    parallel: 3,
  });
});

test('help stands for no run', () => {
  expect(parseOptions(['--help'])).toBeUndefined();
});

test.each([
  ['--targets 0', '--targets takes an integer from 1, not "0"'],
  ['--instances -1', 'argument'],
  ['--instances=-1', '--instances takes an integer from 1, not "-1"'],
  ['--parallel 2.5', '--parallel takes an integer from 1, not "2.5"'],
  ['--seed=', '--seed takes an integer, not ""'],
  ['--seed x', '--seed takes an integer, not "x"'],
  ['--nope', '--nope'],
  ['fleet', 'fleet'],
])('%s is refused', (flags, message) => {
  expect(() => parseOptions(flags.split(' '))).toThrow(message);
});
