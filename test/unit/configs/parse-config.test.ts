import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../lib/configs/parse-config.ts';
import { readResource } from '../../../lib/configs/resource.ts';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { widgetConfig } from '../../support/widgets.ts';

function parse(raw: Json) {
  const resource = readResource(raw, 'config', stringifyJson);
  if (resource.value === undefined) return { value: undefined, diagnostics: resource.diagnostics };
  return parseConfig(resource.value);
}

function codes(raw: Json): string[] {
  return parse(raw).diagnostics.map(({ code, path }) => (path === '' ? code : `${code} ${path}`));
}

const YAML = `apiVersion: terasky.com/v1alpha1
kind: XRDConversionConfig
metadata:
  name: xwidgets
  labels: {team: a, empty: ""}
  annotations: {note: kept by the cluster}
  uid: "1"
spec:
  targetXRD: {name: xwidgets.example.org}
  hubVersion: v2
  webhookServerRef: {name: public}
  conversionReviewVersions: [v1, v1beta1]
  unmappedFieldPolicy: Warn
  unmappedFieldReason: old clients
  driftPolicy: KeepServingStale
  spokes:
  - version: v1
    rules:
    - {strategy: FieldRename, fieldRename: {hubPath: spec.a, spokePath: spec.b}}
  - version: v3
status:
  phase: Applied
`;

describe('a config that is right', () => {
  test('is read from YAML, whatever its status says', () => {
    const { value, diagnostics } = parse(YAML);
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({
      source: 'XRD',
      name: 'xwidgets',
      labels: { team: 'a', empty: '' },
      target: 'xwidgets.example.org',
      hubVersion: 'v2',
      spokes: [
        {
          version: 'v1',
          rules: [{ strategy: 'FieldRename', fieldRename: { hubPath: 'spec.a', spokePath: 'spec.b' } }],
        },
        { version: 'v3', rules: [] },
      ],
      endpoint: 'public',
      reviewVersions: ['v1', 'v1beta1'],
      unmappedFieldPolicy: 'Warn',
    });
  });

  test('is the same as an object and as JSON text', () => {
    const object = widgetConfig({ labels: { team: 'a' } });
    expect(parse(stringifyJson(object)).value).toEqual(parse(object).value);
  });

  test('has defaults, also where YAML left a key empty', () => {
    const config = widgetConfig({
      spec: { webhookServerRef: null, conversionReviewVersions: null, spokes: [{ version: 'v1', rules: null }] },
    });
    const { value, diagnostics } = parse({ ...config, metadata: { name: 'a', labels: null } });
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({ labels: {}, reviewVersions: ['v1'], unmappedFieldPolicy: 'Error' });
    expect(value).not.toHaveProperty('endpoint');
  });

  test('keeps its rules as they are: numbers, foreign keys, reserved words', () => {
    const rule = JSON.parse(
      '{"strategy":"Constant","constant":{"value":{"__proto__":1,"constructor":2}}}',
    ) as JsonObject;
    const { value } = parse(widgetConfig({ rules: [{ ...rule, big: 9_007_199_254_740_993n }] }));
    expect(value?.spokes[0]?.rules[0]).toStrictEqual({ ...rule, big: 9_007_199_254_740_993n });
  });

  test('takes an empty webhookServerRef name for none', () => {
    expect(parse(widgetConfig({ endpoint: '' })).value).not.toHaveProperty('endpoint');
  });
});

describe('a config that is wrong', () => {
  const spec = (changes: JsonObject): JsonObject => widgetConfig({ spec: changes });

  test.each<{ title: string; config: Json; expected: string[] }>([
    { title: 'no resource', config: null, expected: ['CONFIG_SYNTAX'] },
    { title: 'a list', config: [], expected: ['CONFIG_SYNTAX'] },
    { title: 'empty text', config: '# nothing\n', expected: ['CONFIG_SYNTAX'] },
    { title: 'two documents', config: `${YAML}---\n${YAML}`, expected: ['CONFIG_SYNTAX'] },
    { title: 'text that is no mapping', config: 'just words', expected: ['CONFIG_SYNTAX'] },
    { title: 'broken YAML', config: 'a: [1', expected: ['CONFIG_SYNTAX'] },
    {
      title: 'a duplicate key',
      config: YAML.replace('hubVersion: v2', 'hubVersion: v2\n  hubVersion: v3'),
      expected: ['CONFIG_SYNTAX'],
    },
    {
      title: 'another API group',
      config: { ...widgetConfig(), apiVersion: 'example.org/v1' },
      expected: ['CONFIG_API_VERSION apiVersion'],
    },
    {
      title: 'another kind, whose fields are not judged',
      config: { ...widgetConfig(), apiVersion: 'v1', kind: 'ConfigMap' },
      expected: ['CONFIG_API_VERSION apiVersion', 'CONFIG_KIND kind'],
    },
    {
      title: 'the target of the other kind',
      config: spec({ targetXRD: { name: 'x' } }),
      expected: ['CONFIG_UNKNOWN_KEY spec.targetXRD'],
    },
    { title: 'no spec', config: { ...widgetConfig(), spec: null }, expected: ['CONFIG_FIELD spec'] },
    {
      title: 'unknown keys at every level, each on its own',
      config: {
        ...widgetConfig({
          spec: { spoke: [], spokes: [{ version: 'v1', rule: [] }], targetCRD: { name: 'a.b', x: 1 } },
        }),
        metadata: { name: 'a', label: {} },
        extra: true,
      },
      expected: [
        'CONFIG_UNKNOWN_KEY metadata.label',
        'CONFIG_UNKNOWN_KEY spec.spokes[0].rule',
        'CONFIG_UNKNOWN_KEY spec.targetCRD.x',
        'CONFIG_UNKNOWN_KEY spec.spoke',
        'CONFIG_UNKNOWN_KEY extra',
      ],
    },
    {
      title: 'wrong types',
      config: spec({ hubVersion: 2, spokes: [{ version: 'v1', rules: {} }], unmappedFieldPolicy: 'Ignore' }),
      expected: [
        'CONFIG_FIELD spec.hubVersion',
        'CONFIG_FIELD spec.spokes[0].rules',
        'CONFIG_FIELD spec.unmappedFieldPolicy',
      ],
    },
    { title: 'no name', config: { ...widgetConfig(), metadata: {} }, expected: ['CONFIG_FIELD metadata.name'] },
    {
      title: 'a name that is none',
      config: { ...widgetConfig(), metadata: { name: 'A_b' } },
      expected: ['CONFIG_NAME metadata.name'],
    },
    {
      title: 'labels that are none',
      config: { ...widgetConfig(), metadata: { name: 'a', labels: { '-bad': 'x', ok: 'no spaces', number: 5 } } },
      expected: [
        'CONFIG_LABEL metadata.labels.-bad',
        'CONFIG_LABEL metadata.labels.ok',
        'CONFIG_LABEL metadata.labels.number',
      ],
    },
    {
      title: 'a label __proto__, as an own key',
      config: { ...widgetConfig(), metadata: { name: 'a', labels: JSON.parse('{"__proto__":"x"}') as JsonObject } },
      expected: ['CONFIG_LABEL metadata.labels.__proto__'],
    },
    {
      title: 'too many labels',
      config: widgetConfig({ labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, 'x'])) }),
      expected: ['CONFIG_LABEL metadata.labels'],
    },
    {
      title: 'policy Warn without a reason',
      config: spec({ unmappedFieldPolicy: 'Warn' }),
      expected: ['REASON_REQUIRED spec.unmappedFieldReason'],
    },
    {
      title: 'policy Warn with a blank reason',
      config: spec({ unmappedFieldPolicy: 'Warn', unmappedFieldReason: '  ' }),
      expected: ['REASON_REQUIRED spec.unmappedFieldReason'],
    },
    { title: 'no spokes', config: spec({ spokes: [] }), expected: ['SPOKES_EMPTY spec.spokes'] },
    {
      title: 'the hub as a spoke, and a spoke twice',
      config: spec({ spokes: [{ version: 'v2' }, { version: 'v1' }, { version: 'v1' }] }),
      expected: ['SPOKE_IS_HUB spec.spokes[0].version', 'SPOKE_DUPLICATE spec.spokes[2].version'],
    },
    {
      title: 'review versions that no apiserver speaks',
      config: spec({ conversionReviewVersions: ['v2'] }),
      expected: ['REVIEW_VERSIONS spec.conversionReviewVersions'],
    },
    {
      title: 'a drift policy that means nothing here',
      config: spec({ driftPolicy: 'FailClosed' }),
      expected: ['DRIFT_POLICY_UNUSED spec.driftPolicy'],
    },
  ])('is told everything at once: $title', ({ config, expected }) => {
    expect(codes(config).sort()).toEqual([...expected].sort());
  });

  test('is told the line, also of something that is missing', () => {
    const text = YAML.replace('  hubVersion: v2\n', '').replace('{name: public}', '{nam: public}');
    const found = parse(text).diagnostics.map(({ code, line, path, hint }) => ({ code, line, path, hint }));
    expect(found).toEqual([
      { code: 'CONFIG_FIELD', line: 8, path: 'spec.hubVersion', hint: 'add it' },
      {
        code: 'CONFIG_UNKNOWN_KEY',
        line: 10,
        path: 'spec.webhookServerRef.nam',
        hint: 'remove it, or check its spelling',
      },
    ]);
  });

  test('is told the line of broken YAML, and a hint for it', () => {
    const [found] = parse(YAML.replace('hubVersion: v2', 'hubVersion: v2\n  hubVersion: v3')).diagnostics;
    expect(found).toMatchObject({ line: 11, hint: 'keep one of the two entries' });
    expect(found?.message).toContain('duplicate key "hubVersion"');
  });

  test('is told in words what was expected and what was found', () => {
    const messages = parse(spec({ hubVersion: 2, spokes: null, driftPolicy: 'Never' })).diagnostics.map(
      ({ message }) => message,
    );
    expect(messages).toEqual([
      'spec.hubVersion must be a string, found number',
      'spec.spokes must be an array, found null',
      'spec.driftPolicy must be one of KeepServingStale, FailClosed',
    ]);
  });
});
