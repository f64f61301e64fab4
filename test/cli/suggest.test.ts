import { describe, expect, test } from 'vitest';
import { similarity } from '../../lib/cli/authoring/suggest/similarity.ts';
import { suggest } from '../../lib/cli/authoring/suggest/suggest.ts';
import { analyse } from '../../lib/engine/analyse.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import { array, boolean, integer, number, object, openMap, spec, string } from '../support/plan.ts';

const sourceOf = (hub: JsonObject, spoke: JsonObject, rules: readonly JsonObject[] = []) => ({
  hubVersion: 'v2',
  versions: [
    { name: 'v2', served: true, storage: true, schema: hub },
    { name: 'v1', served: true, storage: false, schema: spoke },
  ],
  spokes: [{ version: 'v1', rules }],
});

async function suggested(hub: JsonObject, spoke: JsonObject, rules: readonly JsonObject[] = []) {
  const source = sourceOf(hub, spoke, rules);
  const [found] = suggest(source, await analyse(source));
  return found as NonNullable<typeof found>;
}

const rename = (hub: string, spoke: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath: hub, spokePath: spoke },
});
const coerce = (path: string) => ({ strategy: 'TypeCoerce', typeCoerce: { path } });

describe('suggested rules', () => {
  test.each<[string, JsonObject, JsonObject, readonly JsonObject[]]>([
    ['another scalar type at the same path', { a: string }, { a: integer }, [coerce('spec.a')]],
    ['whole numbers and others', { a: number }, { a: integer }, [coerce('spec.a')]],
    ['a boolean as text', { a: string }, { a: boolean }, [coerce('spec.a')]],
    [
      'the same name in another spelling',
      { sizeGB: integer },
      { size_gb: integer },
      [rename('spec.sizeGB', 'spec.size_gb')],
    ],
    ['a name that is longer', { replicas: integer }, { replicaCount: integer }, []],
    ['a list', { network: array(string) }, { networks: array(string) }, [rename('spec.network', 'spec.networks')]],
    ['a free-form map', { label: openMap }, { labels: openMap }, [rename('spec.label', 'spec.labels')]],
    ['the better of two', { size: string }, { sizes: string, siz: string }, [rename('spec.size', 'spec.sizes')]],
    [
      'a pair for each',
      { sizeA: string, sizeB: string },
      { size_a: string, size_b: string },
      [rename('spec.sizeA', 'spec.size_a'), rename('spec.sizeB', 'spec.size_b')],
    ],
  ])('%s', async (_, hub, spoke, expected) => {
    expect((await suggested(spec(hub), spec(spoke))).rules).toEqual(expected);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a boolean and a number, since no number becomes a boolean', { a: integer }, { a: boolean }],
    ['a field of another kind', { size: string }, { sizes: integer }],
    ['a map and an object', { label: openMap }, { label: object({ a: string }) }],
    ['a name that is not alike', { size: string }, { colour: string }],
    ['a field elsewhere', { size: string }, { deep: object({ size: string }) }],
    ['a field that is covered', { a: string }, { a: string }],
  ])('none for %s', async (_, hub, spoke) => {
    expect((await suggested(spec(hub), spec(spoke))).rules).toEqual([]);
  });

  test('make the config analyse clean when they cover everything', async () => {
    const hub = spec({ sizeGB: integer, replicas: integer, owner: object({ teamName: string }), same: string });
    const spoke = spec({ size_gb: integer, replicas: string, owner: object({ team_name: string }), same: string });
    const { rules, left } = await suggested(hub, spoke);
    expect(left).toEqual({ hub: [], spoke: [] });
    const { diagnostics, lossless } = await analyse(sourceOf(hub, spoke, rules));
    expect(diagnostics).toEqual([]);
    expect(lossless).toBe(true);
  });

  test('are for what the rules of the config leave', async () => {
    const found = await suggested(spec({ size: string, sizes: string }), spec({ siz: string, name: string }), [
      rename('spec.size', 'spec.name'),
    ]);
    expect(found.rules).toEqual([rename('spec.sizes', 'spec.siz')]);
  });

  test('leave the fields inside a ForEach to the author', async () => {
    const list = (name: string) => spec({ users: array(object({ [name]: string })) });
    const each = {
      strategy: 'ForEach',
      forEach: { hubItemsPath: 'spec.users', spokeItemsPath: 'spec.users', rules: [] },
    };
    const found = await suggested(list('userName'), list('username2'), [each]);
    expect(found.rules).toEqual([]);
    expect(found.left).toEqual({ hub: ['spec.users.userName'], spoke: ['spec.users.username2'] });
  });
});

describe('similarity of names', () => {
  test.each([
    ['sizeGB', 'size_gb', 1],
    ['size', 'size', 1],
    ['size', 'sizes', 0.8],
    ['abc', 'xyz', 0],
    ['', '', 1],
    ['_', '-', 1],
    ['a', '', 0],
    // Bytes: the accent is two of six.
    ['menu', 'menü', 0.6],
  ])('%s and %s: %d', (a, b, expected) => {
    expect(similarity(a, b)).toBeCloseTo(expected, 10);
    expect(similarity(b, a)).toBeCloseTo(expected, 10);
  });
});
