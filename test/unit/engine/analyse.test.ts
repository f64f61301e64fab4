import { describe, expect, test } from 'vitest';
import { analyse } from '../../../lib/engine/analyse.ts';
import { compile } from '../../../lib/engine/compile.ts';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { array, codes, object, openMap, spec, string } from '../../support/plan.ts';

const rename = (hubPath: string, spokePath: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath, spokePath },
});
const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: spec({ a: string }),
  ...more,
});
const hub = version('v2', { storage: true });

describe('versions', () => {
  test.each([
    ['an unknown hub', { hubVersion: 'v9', versions: [hub], spokes: [] }, ['HUB_UNKNOWN', 'VERSION_WITHOUT_SPOKE']],
    [
      'a hub that is not stored',
      { hubVersion: 'v1', versions: [hub, version('v1')], spokes: [{ version: 'v2', rules: [] }] },
      ['HUB_NOT_STORAGE'],
    ],
    [
      'an unknown spoke',
      { hubVersion: 'v2', versions: [hub], spokes: [{ version: 'v7', rules: [] }] },
      ['SPOKE_UNKNOWN'],
    ],
    [
      'the hub as a spoke',
      { hubVersion: 'v2', versions: [hub], spokes: [{ version: 'v2', rules: [] }] },
      ['SPOKE_IS_HUB'],
    ],
    [
      'D19: a spoke that is not served',
      { hubVersion: 'v2', versions: [hub, version('v1', { served: false })], spokes: [{ version: 'v1', rules: [] }] },
      ['SPOKE_NOT_SERVED'],
    ],
    [
      'D19: a served version without a spoke',
      { hubVersion: 'v2', versions: [hub, version('v1')], spokes: [] },
      ['VERSION_WITHOUT_SPOKE'],
    ],
    [
      'D11: a version without a schema',
      {
        hubVersion: 'v2',
        versions: [hub, { name: 'v1', served: true, storage: false }],
        spokes: [{ version: 'v1', rules: [] }],
      },
      ['SCHEMA_MISSING'],
    ],
  ])('%s is reported', async (_what, source, expected) => {
    const { diagnostics } = await analyse(source);
    expect(diagnostics.map(({ code }) => code)).toEqual(expected);
    for (const { severity, hint } of diagnostics) if (severity === 'error') expect(hint).toBeTruthy();
  });

  test('D19: a spoke that is not served still gets a plan', async () => {
    const versions = [hub, version('v1', { served: false })];
    const analysis = await analyse({ hubVersion: 'v2', versions, spokes: [{ version: 'v1', rules: [] }] });
    expect(compile(analysis).has('v1')).toBe(true);
  });

  test('a config with errors is never compiled', async () => {
    const analysis = await analyse({ hubVersion: 'v9', versions: [hub], spokes: [] });
    expect(() => compile(analysis)).toThrow('cannot be compiled');
  });
});

describe('the form of rules', () => {
  test.each<[string, unknown, string[]]>([
    ['not an object', 5, ['RULE_MALFORMED']],
    ['no strategy', {}, ['STRATEGY_UNKNOWN']],
    ['an unknown strategy and an unknown key', { strategy: 'Rename', x: 1 }, ['STRATEGY_UNKNOWN', 'RULE_MALFORMED']],
    ['no parameters', { strategy: 'FieldRename' }, ['PARAMS_MISSING']],
    ['parameters of another strategy', { strategy: 'FieldRename', delete: {} }, ['PARAMS_EXTRA', 'PARAMS_MISSING']],
    [
      'an unknown parameter and a missing one',
      { strategy: 'FieldRename', fieldRename: { hubPath: 'a', x: 1 } },
      ['PARAMS_INVALID', 'PARAMS_INVALID'],
    ],
    ['a condition without a path', { ...rename('spec.a', 'spec.a'), when: { equals: 1 } }, ['WHEN_INVALID']],
    [
      'a label in JSON',
      { strategy: 'FromLabel', fromLabel: { spokePath: 'spec.a', key: 'k', serialization: 'JSON' } },
      ['PARAMS_INVALID'],
    ],
    [
      'a bad policy',
      { strategy: 'EnumRemap', enumRemap: { path: 'spec.a', mapping: [], onUnmappedHubValue: 'Skip' } },
      ['PARAMS_INVALID'],
    ],
  ])('%s is refused', async (_what, rule, expected) => {
    const { errors } = await codes({
      hub: spec({ a: string }),
      spoke: spec({ a: string }),
      rules: [rule as JsonObject],
    });
    expect(errors.sort()).toEqual(expected.sort());
  });

  test('every problem of every rule is reported at once', async () => {
    const rules = [rename('spec.x', 'spec.y'), { strategy: 'Nope' }, rename('metadata.name', 'spec.a')];
    const { errors } = await codes({ hub: spec({ a: string }), spoke: spec({ a: string }), rules });
    expect(errors).toEqual([
      'PATH_UNRESOLVED',
      'PATH_UNRESOLVED',
      'STRATEGY_UNKNOWN',
      'PATH_METADATA',
      'FIELD_UNCOVERED',
    ]);
  });
});

describe('coverage', () => {
  test('every uncovered leaf is named with its side; combinators are named', async () => {
    const { diagnostics } = await analyse({
      hubVersion: 'v2',
      versions: [
        { ...hub, schema: spec({ a: string, deep: object({ b: string }) }) },
        version('v1', { schema: spec({ a: { oneOf: [{}] } }) }),
      ],
      spokes: [{ version: 'v1', rules: [] }],
    });
    expect(diagnostics.map(({ path }) => path).sort()).toEqual(['spec.a', 'spec.a', 'spec.deep.b']);
    expect(diagnostics.some(({ message }) => message.includes('oneOf'))).toBe(true);
  });

  test('fields that only one side has inside lists and maps are warned about, at any depth', async () => {
    const routes = (more: JsonObject) =>
      array(object({ name: string, routes: array(object({ name: string, ...more })) }));
    const input = {
      hub: spec({
        routes: routes({ continue: string }),
        m: { type: 'object', additionalProperties: object({ h: string }) },
      }),
      spoke: spec({ routes: routes({}), m: { type: 'object', additionalProperties: object({ s: string }) } }),
      rules: [],
    };
    const { diagnostics } = await analyse({
      hubVersion: 'v2',
      versions: [{ ...hub, schema: input.hub }, version('v1', { schema: input.spoke })],
      spokes: [{ version: 'v1', rules: [] }],
    });
    expect(diagnostics.map(({ path, severity }) => `${severity} ${path}`)).toEqual([
      'warning spec.routes[].routes[].continue',
      'warning spec.m.*.h',
      'warning spec.m.*.s',
    ]);
  });

  test('two rules for one field, lossy rules and a deep ForEach are refused', async () => {
    const rules = [rename('spec.a', 'spec.b'), rename('spec.a', 'spec.b')];
    expect((await codes({ hub: spec({ a: string }), spoke: spec({ b: string }), rules })).errors).toEqual([
      'FIELD_CLAIMED_TWICE',
      'FIELD_CLAIMED_TWICE',
    ]);
    const drop = { strategy: 'Delete', delete: { path: 'spec.a', existsOn: 'Hub' } };
    expect((await codes({ hub: spec({ a: string }), spoke: spec({}), rules: [drop] })).errors).toEqual([
      'LOSSY_HUB_TO_SPOKE',
    ]);
    const each = (rules: JsonObject[]) => ({
      strategy: 'ForEach',
      forEach: { hubItemsPath: 'l', spokeItemsPath: 'l', rules },
    });
    const nested = (depth: number): JsonObject => (depth === 0 ? string : array(object({ l: nested(depth - 1) })));
    const schema = object({ l: nested(3) });
    expect((await codes({ hub: schema, spoke: schema, rules: [each([each([each([])])])] })).errors).toContain(
      'FOREACH_TOO_DEEP',
    );
  });

  test('a finding inside a ForEach names the outer rule and the whole path', async () => {
    const rules = [{ strategy: 'ForEach', forEach: { hubItemsPath: 'spec.l', spokeItemsPath: 'spec.l', rules: [] } }];
    const { diagnostics } = await analyse({
      hubVersion: 'v2',
      versions: [
        { ...hub, schema: spec({ l: array(object({ x: string })) }) },
        version('v1', { schema: spec({ l: array(object({})) }) }),
      ],
      spokes: [{ version: 'v1', rules }],
    });
    const uncovered = diagnostics.find(({ code }) => code === 'FIELD_UNCOVERED');
    expect(uncovered).toMatchObject({ rule: 0, strategy: 'ForEach', path: 'spec.l.x', spoke: 'v1' });
  });

  test('a condition warns that coverage is partial', async () => {
    const rules = [{ ...rename('spec.a', 'spec.b'), when: { path: 'spec.m', equals: 1 } }];
    const found = await codes({ hub: spec({ a: string, m: openMap }), spoke: spec({ b: string, m: openMap }), rules });
    expect(found).toEqual({ errors: [], warnings: ['WHEN_PARTIAL'] });
  });
});
