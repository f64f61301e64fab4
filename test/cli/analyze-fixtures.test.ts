import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sharedMaterial } from '../support/shared.ts';
import { openCliSandbox } from './support/convctl.ts';

interface Spoke {
  readonly ok: boolean;
  readonly lossless: { readonly hubToSpoke: boolean; readonly spokeToHub: boolean };
  readonly uncoveredHub: readonly string[];
  readonly uncoveredSpoke: readonly string[];
}

interface Report {
  readonly hubVersion: string;
  readonly spokes: readonly {
    readonly version: string;
    readonly losslessHubToSpoke: boolean;
    readonly losslessSpokeToHub: boolean;
    readonly errors?: readonly string[];
    readonly uncoveredHub: readonly string[];
    readonly uncoveredSpoke: readonly string[];
  }[];
}

const { path: folder, missing } = sharedMaterial('peer-fixtures');
const expected = join(folder, 'expected.json');
const sets = existsSync(expected)
  ? Object.entries(
      JSON.parse(readFileSync(expected, 'utf8')) as Record<string, { hub: string; analysis: Record<string, Spoke> }>,
    )
  : [];
const sandbox = openCliSandbox();
afterAll(() => sandbox.remove());

describe.skipIf(missing !== undefined)(`analyze on the peer's sets${missing ? ` (${missing})` : ''}`, () => {
  test.each(sets)('%s: verdicts, uncovered fields and exit code are as recorded', async (name, { hub, analysis }) => {
    const config = join(folder, name, 'config.yaml');
    const flag = /^kind: XRD/m.test(readFileSync(config, 'utf8')) ? '--xrd' : '--crd';
    const { code, out } = await sandbox.run([
      'analyze',
      '-c',
      config,
      flag,
      join(folder, name, 'schema.yaml'),
      '-o',
      'json',
    ]);
    const report = JSON.parse(out) as Report;
    const spokes = report.spokes.map((spoke): [string, Spoke] => [
      spoke.version,
      {
        ok: spoke.errors === undefined,
        lossless: { hubToSpoke: spoke.losslessHubToSpoke, spokeToHub: spoke.losslessSpokeToHub },
        uncoveredHub: spoke.uncoveredHub.toSorted(),
        uncoveredSpoke: spoke.uncoveredSpoke.toSorted(),
      },
    ]);
    expect(report.hubVersion).toBe(hub);
    expect(Object.fromEntries(spokes)).toMatchObject(analysis);
    expect(code).toBe(Object.values(analysis).every(({ ok }) => ok) ? 0 : 1);
  });

  test('among them is one that fails', () => {
    expect(sets.map(([name]) => name)).toContain('cli-oneof');
  });
});
