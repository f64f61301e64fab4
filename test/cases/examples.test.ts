import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../lib/configs/parse-config.ts';
import { readResource } from '../../lib/configs/resource.ts';
import { analyse } from '../../lib/engine/analyse.ts';
import { compile } from '../../lib/engine/compile.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';
import { stringifyJson } from '../../lib/k8s/json.ts';
import { parseTarget } from '../../lib/k8s/target.ts';
import { parseYaml } from '../../lib/k8s/yaml.ts';

const root = join(import.meta.dirname, '../../examples');

async function loadExample(name: string) {
  const read = (file: string) => readFileSync(join(root, name, file), 'utf8');
  const files = readdirSync(join(root, name));
  const schema = readResource(read(files.includes('crd.yaml') ? 'crd.yaml' : 'xrd.yaml'), 'schema', stringifyJson);
  const config = readResource(read('config.yaml'), 'config', stringifyJson);
  if (schema.value === undefined || config.value === undefined) throw new Error(`${name} cannot be read`);
  const { target, diagnostics } = parseTarget(schema.value.value);
  const parsed = parseConfig(config.value);
  expect([...(diagnostics ?? []), ...parsed.diagnostics]).toEqual([]);
  if (target === undefined || parsed.value === undefined) throw new Error(`${name} has errors`);
  const analysis = await analyse({ ...parsed.value, versions: target.versions });
  const objects = files
    .filter((file) => file.startsWith('object'))
    .map((file) => parseYaml(read(file))[0]?.value as JsonObject);
  return { analysis, objects, spokes: parsed.value.spokes };
}

describe.each(readdirSync(root).filter((name) => !name.includes('.') && name !== 'apps'))('examples/%s', (name) => {
  test('is analysed without an error', async () => {
    const { analysis } = await loadExample(name);
    expect(analysis.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('converts each object to every version and back without a difference', async () => {
    const { analysis, objects } = await loadExample(name);
    const router = compile(analysis);
    for (const object of objects) {
      const from = String(object['apiVersion']).split('/')[1] ?? '';
      for (const to of router.versions) {
        const there = router.convert(object, from, to, createRun('review'));
        expect({ to, object: router.convert(there, to, from, createRun('review')) }).toEqual({ to, object });
      }
    }
  });
});

test('an object of each version converts to every other one, offline too, whatever fields it lacks', async () => {
  for (const name of ['crd-databases', 'xrd-buckets']) {
    const { analysis, objects } = await loadExample(name);
    const router = compile(analysis);
    for (const { apiVersion, kind, metadata } of objects) {
      const from = String(apiVersion).split('/')[1] ?? '';
      const bare = { apiVersion, kind, metadata } as JsonObject;
      for (const to of router.versions)
        expect(router.convert({ ...bare, spec: {} }, from, to, createRun('offline'))).toBeTruthy();
    }
  }
});

test('the database example uses at least 12 strategies', async () => {
  const { spokes } = await loadExample('crd-databases');
  const strategies = new Set(spokes.flatMap(({ rules }) => rules.map((rule) => (rule as JsonObject)['strategy'])));
  expect(strategies.size).toBeGreaterThanOrEqual(12);
});
