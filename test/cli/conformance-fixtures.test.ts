import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../lib/cli/program.ts';
import { sharedMaterial } from '../support/shared.ts';
import { COMMANDS, PROGRAMS } from './support/commands.ts';

interface Expected {
  readonly testCounts: Record<'samples' | 'paths' | 'pass' | 'loss' | 'fail' | 'error', number>;
  /** From, to, path, and whether it is acknowledged. */
  readonly losses: readonly (readonly [string, string, string, string])[];
}

const { path: folder, missing } = sharedMaterial('peer-fixtures');
const expected: Record<string, Expected> = missing
  ? {}
  : JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
const sets = Object.entries(expected).filter(([name]) => existsSync(join(folder, name, 'samples')));

async function runTest(cwd: string, ...more: string[]) {
  const schema = readFileSync(join(cwd, 'schema.yaml'), 'utf8');
  const flag = schema.includes('kind: CompositeResourceDefinition') ? '--xrd' : '--crd';
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    terminal: {},
    colour: false,
    readStdin: async () => '',
    env: {},
    cwd,
    now: () => 0,
    wait: async () => {},
  };
  const argv = ['test', '-c', 'config.yaml', flag, 'schema.yaml', '-s', 'samples', '-o', 'json', ...more];
  const code = await runProgram(argv, { program: PROGRAMS.convctl, commands: COMMANDS.convctl, io });
  expect(err).toBe('');
  return { code, report: JSON.parse(out) };
}

describe.skipIf(missing !== undefined)(`the peer's sets with samples${missing ? ` (${missing})` : ''}`, () => {
  test('are 22', () => {
    expect(sets).toHaveLength(22);
  });

  test.each(sets)('%s: test -o json reports the same counts and losses', async (name, { testCounts, losses }) => {
    const { code, report } = await runTest(join(folder, name));
    const { samples, pathsTested, pass, acknowledgedLoss, unacknowledgedLoss, errors } = report.summary;
    const counts = { samples, paths: pathsTested, pass, loss: acknowledgedLoss, fail: unacknowledgedLoss };
    expect({ ...counts, error: errors }).toEqual(testCounts);
    const issues = report.samples.flatMap((sample: any) => sample.paths.flatMap((path: any) => path.issues ?? []));
    const found = issues
      .filter(({ type }: any) => type.endsWith('acknowledged-loss'))
      .map(({ from, to, field, type }: any) => [from, to, field, type.replace('-loss', '')]);
    expect(found.sort()).toEqual([...losses].sort());
    expect(code).toBe(testCounts.fail + testCounts.error > 0 ? 1 : 0);
  });

  test.each(sets)('%s: its samples are as good in a cluster, and at their versions', async (name, { testCounts }) => {
    const { report } = await runTest(join(folder, name), '--absent', 'skip');
    expect(report.summary).toMatchObject({ errors: testCounts.error, schemaIssues: 0 });
  });
});

test.skipIf(missing !== undefined)('every set of the peer that has samples is among those expected', () => {
  const folders = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'samples')));
  expect(folders.sort()).toEqual(sets.map(([name]) => name).sort());
});
