import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, exampleRule } from '../../lib/cli/authoring/explain/examples.ts';
import { type Explanation, explainObject } from '../../lib/cli/authoring/explain/explanation.ts';
import { parametersOf, renderReference } from '../../lib/cli/authoring/explain/reference.ts';
import { createConversion } from '../../lib/cli/conformance/conversion.ts';
import { inspect } from '../../lib/configs/inspect.ts';
import { readResource } from '../../lib/configs/resource.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../lib/engine/json.ts';
import { strategies } from '../../lib/engine/strategies/index.ts';
import { type DocumentPath, pathText } from '../../lib/engine/values/path-text.ts';
import { stringifyJson } from '../../lib/k8s/json.ts';
import { parseYaml } from '../../lib/k8s/yaml.ts';

const examples = join(import.meta.dirname, '../../examples');
const read = (path: string) => readFileSync(join(examples, path), 'utf8');

async function conversionOf(config: Json, schema: Json) {
  const found = await inspect({
    config: readResource(config, 'config', stringifyJson),
    schema: readResource(schema, 'schema', stringifyJson),
  });
  const errors = found.findings.filter(({ diagnostic }) => diagnostic.severity === 'error');
  expect(errors.map(({ diagnostic }) => diagnostic.message)).toEqual([]);
  return createConversion(found as Required<typeof found>);
}

const databases = await conversionOf(read('crd-databases/config.yaml'), read('crd-databases/crd.yaml'));
const buckets = await conversionOf(read('xrd-buckets/config.yaml'), read('xrd-buckets/xrd.yaml'));

const journeys = [
  { folder: 'crd-databases', conversion: databases },
  { folder: 'xrd-buckets', conversion: buckets },
].flatMap(({ folder, conversion }) =>
  readdirSync(join(examples, folder))
    .filter((name) => name.startsWith('object-'))
    .flatMap((name) => {
      const object = parseYaml(read(`${folder}/${name}`))[0]?.value as JsonObject;
      const from = String(object['apiVersion']).split('/')[1] ?? '';
      return conversion.router.versions.map((to) => ({ name: `${folder}/${name}`, conversion, object, from, to }));
    }),
);

/** All scalars, and containers that are empty, however deep: on its own, not by the code under test. */
function everyPath(value: Json, path: DocumentPath = []): DocumentPath[] {
  const entries = isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return entries.length === 0 ? [path] : entries.flatMap(([key, item]) => everyPath(item, [...path, key]));
}

function valueAt(value: Json, [key, ...rest]: DocumentPath): Json | undefined {
  return key === undefined ? value : valueAt((value as Record<string | number, Json>)[key] ?? null, rest);
}

const startsWith = (path: DocumentPath, start: DocumentPath) => start.every((key, index) => path[index] === key);

function expectExplained({ output, input, object }: Explanation, source: JsonObject, rules: RegExp): void {
  for (const path of everyPath(object)) {
    const origins = output.filter((origin) => startsWith(path, origin.path));
    expect({ path: pathText(path), origins: origins.length }).toEqual({ path: pathText(path), origins: 1 });
  }
  for (const { path, value, from, how, rules: names } of output) {
    const label = pathText(path);
    for (const read of from) expect({ label, read: valueAt(source, read) }).not.toEqual({ label, read: null });
    if (how === 'copied')
      expect({ label, from: from.map((at) => valueAt(source, at)) }).toEqual({ label, from: [value] });
    if (how === 'version') expect(path).toEqual(['apiVersion']);
    if (how === 'always there') expect(path).toEqual(['metadata']);
    expect({ label, ruled: names.length > 0 }).toEqual({ label, ruled: how === 'rule' });
    for (const name of names) expect(name).toMatch(rules);
  }
  for (const path of everyPath(source)) {
    expect(input.filter((fate) => startsWith(path, fate.path)).map((fate) => pathText(fate.path))).toHaveLength(1);
  }
}

const RULE = /^v[0-9a-z]+:rule\[\d+\]:[A-Za-z]+(\/rule\[\d+\]:[A-Za-z]+)?$/;

describe('an explanation of an example', () => {
  test('are those of every object, to every version', () => {
    expect(journeys.length).toBeGreaterThan(9);
  });

  test.each(journeys)('has the origin of every field and the fate of every field: $name to $to', (journey) => {
    const { conversion, object, from, to } = journey;
    const explanation = explainObject(conversion, { object, from, to, mode: 'offline' });
    expectExplained(explanation, object, RULE);
    expect(explanation.object).toMatchObject(from === to ? object : { kind: object['kind'] });
  });
});

function explain(object: JsonObject, from: string, to: string) {
  return explainObject(databases, { object, from, to, mode: 'offline' });
}

const legacy = parseYaml(read('crd-databases/object-v1alpha1.yaml'))[0]?.value as JsonObject;
const users = parseYaml(read('crd-databases/object-v1.yaml'))[0]?.value as JsonObject;

describe('the origin of a field', () => {
  test.each([
    ['spec.address', ['spec.host', 'spec.port'], ['FieldRename', 'FieldRename', 'FieldsToScalar']],
    ['spec.cpuMillis', ['spec.settings.cpu'], ['FieldsToMap', 'Quantity']],
    ['spec.connectTimeoutSeconds', ['spec.settings.connectTimeout'], ['FieldsToMap', 'Duration']],
    ['spec.backups[0].keep', ['spec.backupKeep'], ['FieldRename', 'ObjectToSingletonArray']],
    ['spec.users[0].login', ['spec.users'], ['ArrayToMapByKey', 'FieldRename']],
    ['spec.maintenance.day', ['spec.maintenanceHour'], ['CEL']],
    ['metadata.labels["data.example.org/team"]', ['spec.team'], ['FromLabel']],
    ['spec.engine', ['spec.engine.name'], ['ScalarToObject', 'EnumRemap']],
    ['metadata.name', ['metadata.name'], []],
  ])('over two ways: %s is from %j', (path, from, rules) => {
    const origin = explain(legacy, 'v1alpha1', 'v1beta1').output.find((found) => pathText(found.path) === path);
    expect(origin?.from.map(pathText)).toEqual(from);
    expect(origin?.rules.map((name) => name.split(':').at(-1))).toEqual(rules);
  });

  test('is nothing for a constant, and the stash for a field that comes out of one', () => {
    const { output, object } = explain(users, 'v1', 'v1alpha1');
    expect(output.find(({ path }) => pathText(path) === 'spec.flavor')?.from).toEqual([]);
    const back = explain(object, 'v1alpha1', 'v1').output.find(({ path }) => pathText(path) === 'spec.tier');
    expect(back?.from.map(pathText)).toEqual(['metadata.annotations["data.example.org/tier"]']);
    expect(back?.rules).toEqual(['v1alpha1:rule[11]:ToAnnotation']);
  });
});

describe('the fate of a field', () => {
  const fateOf = ({ input }: Explanation, path: string) => input.find((fate) => pathText(fate.path) === path);

  test('names the rule that dropped it, and that it does not come back', () => {
    const spec = { ...(legacy['spec'] as JsonObject), debug: true };
    const fate = fateOf(explain({ ...legacy, spec }, 'v1alpha1', 'v1'), 'spec.debug');
    expect(fate).toMatchObject({ to: [], rules: ['v1alpha1:rule[14]:Delete'], returns: { value: undefined } });
  });

  test('says as what it comes back', () => {
    const spec = { ...(users['spec'] as JsonObject), connectTimeout: '90s' };
    const fate = fateOf(explain({ ...users, spec }, 'v1', 'v1beta1'), 'spec.connectTimeout');
    expect(fate).toMatchObject({ rules: ['v1beta1:rule[4]:Duration'], returns: { value: '1m30s' } });
  });

  test('is unknown when the way back fails, which is said', async () => {
    const { wayBack } = explain({ ...legacy, spec: { host: 'a:b', port: 1 } }, 'v1alpha1', 'v1beta1');
    expect(wayBack).toContain('FieldsToScalar');
  });
});

describe('the reference of each strategy', () => {
  test('has an example for all 29', () => {
    expect(Object.keys(EXAMPLES)).toEqual(strategies.map(({ name }) => name));
  });

  test.each(strategies)(
    '$name: its example analyses without an error, converts, and every origin is known',
    async (it) => {
      const example = EXAMPLES[it.name] as (typeof EXAMPLES)[string];
      const schema = (properties: JsonObject) => ({
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
      });
      const conversion = await conversionOf(
        {
          apiVersion: 'terasky.com/v1alpha1',
          kind: 'CRDConversionConfig',
          metadata: { name: 'widgets' },
          spec: {
            targetCRD: { name: 'widgets.example.org' },
            hubVersion: 'v2',
            spokes: [{ version: 'v1', rules: [exampleRule(it.name, it.block, example)] }],
          },
        },
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'widgets.example.org' },
          spec: {
            group: 'example.org',
            names: { kind: 'Widget', plural: 'widgets' },
            scope: 'Namespaced',
            versions: [
              { name: 'v2', served: true, storage: true, schema: schema(example.hub) },
              { name: 'v1', served: true, storage: false, schema: schema(example.spoke) },
            ],
          },
        },
      );
      const [from, to] = example.side === 'spoke' ? ['v1', 'v2'] : ['v2', 'v1'];
      const object = {
        apiVersion: `example.org/${from}`,
        kind: 'Widget',
        metadata: { name: 'w' },
        spec: example.object,
      };
      const explanation = explainObject(conversion, {
        object,
        from: from as string,
        to: to as string,
        mode: 'offline',
      });
      expectExplained(explanation, object, RULE);
      expect(
        explanation.output
          .concat()
          .flatMap(({ rules }) => rules)
          .join() + JSON.stringify(explanation.input),
      ).toContain(it.name === 'ForEach' ? 'ForEach/rule[0]' : `:${it.name}`);
      expect(explanation.wayBack).toBeUndefined();
    },
  );

  test.each(strategies)('$name: every parameter has a type, and the text shows the rule', async (strategy) => {
    const shown = parametersOf(strategy);
    const top = shown.map(({ path }) => path.split('.')[1]?.replace('[]', ''));
    expect([...new Set(top)]).toEqual([...strategy.parameters]);
    expect(shown.every(({ type, need }) => type !== '' && need !== '')).toBe(true);
    expect(await renderReference(strategy)).toContain(`- strategy: ${strategy.name}\n`);
  });
});
