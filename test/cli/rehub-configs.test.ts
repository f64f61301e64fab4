import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../lib/configs/parse-config.ts';
import { type Resource, readResource } from '../../lib/configs/resource.ts';
import type { ConversionSource } from '../../lib/engine/analyse.ts';
import type { Json, JsonObject } from '../../lib/engine/json.ts';
import { stringifyJson } from '../../lib/k8s/json.ts';
import { parseTarget } from '../../lib/k8s/target.ts';
import { parseYaml } from '../../lib/k8s/yaml.ts';
import { DEFAULT_SHAPE } from '../bench/scalegen/assignment.ts';
import { renderFleet } from '../bench/scalegen/fleet.ts';
import { build } from '../property/support/scenario.ts';
import { sharedMaterial } from '../support/shared.ts';
import { expectSame, turnAround } from './support/rehub.ts';

function sourceOf(config: Json, schema: Json): ConversionSource {
  const parsed = parseConfig(readResource(config, 'config', stringifyJson).value as Resource).value;
  const { versions = [] } =
    parseTarget(typeof schema === 'string' ? (parseYaml(schema)[0]?.value as Json) : schema).target ?? {};
  if (parsed === undefined) throw new Error('the config of the test is faulty');
  const { hubVersion, spokes, unmappedFieldPolicy } = parsed;
  return { hubVersion, spokes, unmappedFieldPolicy, versions };
}

describe('the scale fleet', () => {
  const fleet = renderFleet({ ...DEFAULT_SHAPE, targets: 20 }, 2).map((target) => ({
    ...target,
    source: sourceOf(target.config, target.crd),
  }));

  test.each(fleet.map((target) => [target.config.metadata.name, target] as const))(
    '%s: what is created at v1 converts as before when v1 is the hub',
    async (_, { source, instances }) => {
      const before = await build(source);
      const { refused, router } = await turnAround(source, 'v1');
      expect(refused).toEqual([]);
      for (const object of instances) {
        for (const to of ['v2', 'v3']) expectSame(before.router, router as never, object, 'v1', to);
      }
    },
  );
});

describe('examples/crd-databases', () => {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../../examples/crd-databases', name), 'utf8');
  const source = sourceOf(read('config.yaml'), read('crd.yaml'));
  const object = (version: string) => parseYaml(read(`object-${version}.yaml`))[0]?.value as JsonObject;
  const withOnly = (...versions: string[]) => ({
    ...source,
    spokes: source.spokes.filter(({ version }) => versions.includes(version)),
  });

  test.each(['v1beta1', 'v1alpha1'])('with one spoke, %s: both versions convert as before', async (version) => {
    const one = withOnly(version);
    const before = await build(one);
    const { refused, router } = await turnAround(one, version);
    expect(refused).toEqual([]);
    expectSame(before.router, router as never, object('v1'), 'v1', version);
    expectSame(before.router, router as never, object(version), version, 'v1');
  });

  test('with both, each field that no rule can take from v1beta1 to v1alpha1 is named', async () => {
    const { refused } = await turnAround(source, 'v1beta1');
    expect(refused.filter((message) => !message.includes('has no rule and no identical field'))).toEqual([
      'no rule does both: v1beta1 converts spec.engine by EnumRemap, v1alpha1 by ScalarToObject',
      'no rule does both: v1beta1 converts spec.cpu, spec.connectTimeout by Quantity, Duration, v1alpha1 by FieldsToMap',
      'no rule does both: v1beta1 converts spec.users by ForEach, v1alpha1 by ArrayToMapByKey',
      'v1alpha1 has parts of spec.backup elsewhere, and ObjectToSingletonArray converts it whole',
      'no rule does both: v1beta1 converts spec.replicas by TypeCoerce, v1alpha1 by ToAnnotation',
    ]);
  });

  test('without those fields at v1alpha1, it and v1beta1 convert into each other as before', async () => {
    const lacking = ['engine', 'settings', 'users', 'backupSchedule', 'backupKeep'];
    const hard = /"(ScalarToObject|FieldsToMap|ArrayToMapByKey)"|spec\.(backup|replicas)/;
    const easy: ConversionSource = {
      ...source,
      unmappedFieldPolicy: 'Warn',
      versions: source.versions.map((version) => (version.name === 'v1alpha1' ? without(version, lacking) : version)),
      spokes: source.spokes.map(({ version, rules }) => ({
        version,
        rules: version === 'v1alpha1' ? rules.filter((rule) => !hard.test(JSON.stringify(rule))) : rules,
      })),
    };
    const before = await build(easy);
    const { refused, router } = await turnAround(easy, 'v1beta1');
    expect(refused).toEqual([]);
    for (const version of ['v1beta1', 'v1alpha1']) {
      const to = version === 'v1beta1' ? 'v1alpha1' : 'v1beta1';
      expectSame(before.router, router as never, object(version), version, to);
    }
    expect((await turnAround(easy, 'v1alpha1')).refused).toEqual([
      'v1beta1 has spec.maintenance.day, spec.maintenance.hour too, and a CEL rule cannot be put together with another',
    ]);
  });
});

/** The version without some fields of its spec. */
function without(version: ConversionSource['versions'][number], names: readonly string[]) {
  const schema = structuredClone(version.schema) as any;
  for (const name of names) delete schema.properties.spec.properties[name];
  return { ...version, schema };
}

const { path, missing } = sharedMaterial('peer-fixtures');

describe(`the life of an XRD, as the peer promotes its versions${missing ? ` (${missing})` : ''}`, () => {
  test.skipIf(missing !== undefined).each([
    ['ex-xr-02-add-v2', 'v2', 'ex-xr-03-promote-v2'],
    ['ex-xr-04-add-v3', 'v3', 'ex-xr-05-promote-v3'],
  ])('%s turned around to %s is %s', async (from, to, expected) => {
    const read = (name: string) =>
      sourceOf(
        readFileSync(join(path, name, 'config.yaml'), 'utf8'),
        readFileSync(join(path, name, 'schema.yaml'), 'utf8'),
      );
    const { spec, refused } = await turnAround(read(from), to);
    expect(refused).toEqual([]);
    const sorted = (spokes: ConversionSource['spokes']) =>
      spokes
        .map(({ version, rules }) => ({ version, rules: rules.map((rule) => stringifyJson(rule)).sort() }))
        .sort((a, b) => a.version.localeCompare(b.version));
    expect(sorted(spec.spokes)).toEqual(sorted(read(expected).spokes));
    expect(spec.hubVersion).toBe(to);
  });
});
