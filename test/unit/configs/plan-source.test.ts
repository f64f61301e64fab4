import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashPlanSource, parsePlanSource, renderPlanSource } from '../../../lib/configs/plan-source.ts';
import { prepare } from '../../../lib/configs/prepare.ts';
import { reduceSchema } from '../../../lib/configs/reduce-schema.ts';
import { analyse } from '../../../lib/engine/analyse.ts';
import { getOwn, isObject, type JsonObject } from '../../../lib/engine/json.ts';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { parseYaml } from '../../../lib/k8s/yaml.ts';
import { sharedMaterial } from '../../support/shared.ts';

describe('a schema without its prose', () => {
  test.each<{ title: string; schema: JsonObject; expected: JsonObject }>([
    {
      title: 'loses descriptions, titles, examples and links at every depth',
      schema: {
        description: 'x',
        type: 'object',
        properties: { a: { title: 'x', type: 'array', items: { example: 1, type: 'string' } } },
        additionalProperties: { externalDocs: { url: 'x' }, type: 'string' },
        oneOf: [{ description: 'x', required: ['a'] }],
        not: { description: 'x' },
      },
      expected: {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string' } } },
        additionalProperties: { type: 'string' },
        oneOf: [{ required: ['a'] }],
        not: {},
      },
    },
    {
      title: 'keeps fields that are called like prose, and like reserved words',
      schema: JSON.parse(
        '{"properties":{"description":{"type":"string"},"title":{"properties":{"example":{"type":"string"}}},"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
      ) as JsonObject,
      expected: JSON.parse(
        '{"properties":{"description":{"type":"string"},"title":{"properties":{"example":{"type":"string"}}},"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
      ) as JsonObject,
    },
    {
      title: 'keeps data',
      schema: {
        default: { description: 'data' },
        enum: [{ title: 'data' }],
        'x-kubernetes-list-map-keys': ['description'],
      },
      expected: {
        default: { description: 'data' },
        enum: [{ title: 'data' }],
        'x-kubernetes-list-map-keys': ['description'],
      },
    },
    {
      title: 'keeps what is not a schema where one should be',
      schema: { additionalProperties: true, items: 'text', properties: { a: null }, allOf: [1] },
      expected: { additionalProperties: true, items: 'text', properties: { a: null }, allOf: [1] },
    },
  ])('$title', ({ schema, expected }) => {
    // As text: the comparison of objects does not see an own `__proto__`.
    expect(stringifyJson(reduceSchema(schema))).toBe(stringifyJson(expected));
  });
});

describe('a plan source', () => {
  const source = {
    hubVersion: 'v2',
    versions: [
      { name: 'v2', served: true, storage: true, schema: { type: 'object', properties: { b: {}, a: {} } } },
      { name: 'v1', served: false, storage: false },
    ],
    spokes: [
      { version: 'v1', rules: [{ big: 18_446_744_073_709_551_615n, constant: { value: { z: null, a: 1.5 } } }] },
    ],
  };

  test('comes back as it was: exact integers, the order of fields, missing schemas', () => {
    const back = parsePlanSource(renderPlanSource(source));
    expect(back).toStrictEqual({ ...source, unmappedFieldPolicy: 'Error' });
    expect(Object.keys((back.versions[0]?.schema?.['properties'] as object) ?? {})).toEqual(['b', 'a']);
  });

  test.each<{ title: string; change: (text: string) => string; same: boolean }>([
    { title: 'the order of keys', change: (text) => text.replace('"b":{},"a":{}', '"a":{},"b":{}'), same: true },
    { title: 'a rule', change: (text) => text.replace('1.5', '1.25'), same: false },
    { title: 'a digit beyond 2^53', change: (text) => text.replace('551615', '551614'), same: false },
    { title: 'a served flag', change: (text) => text.replace('"served":false', '"served":true'), same: false },
    { title: 'the hub', change: (text) => text.replace('"hubVersion":"v2"', '"hubVersion":"v1"'), same: false },
    { title: 'the policy', change: (text) => text.replace('"Error"', '"Warn"'), same: false },
  ])('has the same hash only where it converts alike: $title', ({ change, same }) => {
    const changed = hashPlanSource(parsePlanSource(change(renderPlanSource(source))));
    expect(changed === hashPlanSource(source)).toBe(same);
  });
});

describe('public configs', () => {
  const { path, missing } = sharedMaterial('peer-fixtures');
  const sets =
    missing === undefined ? readdirSync(path).filter((name) => statSync(join(path, name)).isDirectory()) : [];

  test.skipIf(missing !== undefined)('are analysed alike with and without the prose of their schemas', async () => {
    const compared: string[] = [];
    for (const set of sets) {
      const read = (name: string) => readFileSync(join(path, set, name), 'utf8');
      const schema = read('schema.yaml');
      const name = nameOf(parseYaml(schema)[0]?.value as JsonObject);
      const prepared = await prepare(name, { config: read('config.yaml'), schema }).catch(() => undefined);
      if (prepared === undefined) continue;
      const again = await analyse(parsePlanSource(renderPlanSource(prepared.source)));
      const strip = ({ diagnostics, lossless, spokes }: typeof again) =>
        JSON.stringify({ diagnostics, lossless, spokes: spokes.map(({ list: _list, ...spoke }) => spoke) });
      expect(strip(again), set).toBe(strip(prepared.analysis));
      compared.push(set);
    }
    // One set is there to be refused.
    expect(compared).toHaveLength(sets.length - 1);
  });
});

function nameOf(resource: JsonObject): string {
  const metadata = getOwn(resource, 'metadata');
  return isObject(metadata) ? String(getOwn(metadata, 'name')) : '';
}
