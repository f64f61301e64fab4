import { describe, expect, test } from 'vitest';
import { inspect } from '../../../lib/configs/inspect.ts';
import { readResource } from '../../../lib/configs/resource.ts';
import type { Json } from '../../../lib/engine/json.ts';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { widgetConfig, widgetCrd } from '../../support/widgets.ts';

const TARGET = 'widgets.example.org';
const OTHER = 'gadgets.example.org';

async function look(config: Json, schema: Json, target?: string) {
  const read = (value: Json, what: string) => readResource(value, what, stringifyJson);
  const inspection = await inspect({ config: read(config, 'config'), schema: read(schema, 'schema') }, target);
  const found = inspection.findings.map(({ of, diagnostic }) => `${of} ${diagnostic.code}`);
  return { ...inspection, found, messages: inspection.findings.map(({ diagnostic }) => diagnostic.message) };
}

const unresolved = widgetConfig({ spokeField: 'none' });

describe('findings come in the order of the steps', () => {
  test('both texts are read before either is judged, and analysed last', async () => {
    expect((await look('a: [', '{')).found).toEqual(['config CONFIG_SYNTAX', 'schema SCHEMA_SYNTAX']);
    expect((await look({ ...widgetConfig(), extra: 1 }, '{')).found.slice(0, 2)).toEqual([
      'schema SCHEMA_SYNTAX',
      'config CONFIG_UNKNOWN_KEY',
    ]);
    const { found } = await look(unresolved, widgetCrd({ target: OTHER }), TARGET);
    expect(found.slice(0, 2)).toEqual(['schema SCHEMA_TARGET_MISMATCH', 'config PATH_UNRESOLVED']);
  });

  test('what is for another target than the request says so', async () => {
    const config = widgetConfig({ target: OTHER });
    expect((await look(config, widgetCrd(), TARGET)).messages).toEqual([
      `the config is for ${OTHER}, the request for ${TARGET}`,
    ]);
    expect((await look(widgetConfig(), widgetCrd({ target: OTHER }), TARGET)).messages).toEqual([
      `the schema is of ${OTHER}, the request for ${TARGET}`,
    ]);
  });
});

describe('without a request', () => {
  test('a schema of another target than the config is the only finding, however little fits', async () => {
    const { found, messages, analysis, source } = await look(unresolved, widgetCrd({ target: OTHER }));
    expect(found).toEqual(['schema SCHEMA_TARGET_MISMATCH']);
    expect(messages).toEqual([`the schema is of ${OTHER}, the config for ${TARGET}`]);
    expect([analysis, source]).toEqual([undefined, undefined]);
  });

  test('the two that are for each other are analysed', async () => {
    expect((await look(unresolved, widgetCrd())).found).toContain('config PATH_UNRESOLVED');
    expect((await look(widgetConfig(), widgetCrd())).analysis?.ok).toBe(true);
  });
});

describe('of several documents in a text', () => {
  const text = 'kind: A\n---\nkind: B\n---\nkind: B\n';
  const read = (of: string, kind?: string) =>
    readResource(of, 'config', stringifyJson, kind === undefined ? undefined : (value) => value['kind'] === kind);

  test('the one that is wanted is taken; a document alone is taken whatever it is', () => {
    expect(read(text, 'A').value?.value).toEqual({ kind: 'A' });
    expect(read('kind: B', 'A').value?.value).toEqual({ kind: 'B' });
  });

  test.each([
    ['B', 'the config text holds 2 configs instead of one'],
    ['C', 'the config text holds 0 configs instead of one'],
    [undefined, 'the config holds 3 resources instead of one'],
  ])('with %s wanted: %s', (kind, message) => {
    expect(read(text, kind).diagnostics.map((found) => found.message)).toEqual([message]);
  });
});
