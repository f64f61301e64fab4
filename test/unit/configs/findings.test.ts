import { describe, expect, test } from 'vitest';
import { prepare } from '../../../lib/configs/prepare.ts';
import type { Diagnostic } from '../../../lib/engine/diagnostic.ts';
import { AppError } from '../../../lib/errors.ts';

const TARGET = 'widgets.demo.example.test';

const SCHEMA = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${TARGET}}
spec:
  group: demo.example.test
  names: {kind: Widget, plural: widgets}
  versions:
    - &version
      name: v2
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {a: {type: string}, list: {type: array, items: {type: object}}}}
    - <<: *version
      name: v1
      storage: false
`;

const CONFIG = `apiVersion: terasky.com/v1alpha1
kind: CRDConversionConfig
metadata: {name: widgets}
spec:
  targetCRD: {name: ${TARGET}}
  hubVersion: v2
  bogus: 1
  spokes:
    - version: v1
      rules:
        - strategy: Nope
        - strategy: FieldRename
          fieldRename: {hubPath: spec.gone, spokePath: spec.a, extra: 1}
        - strategy: EnumRemap
          acknowledgeLossy: yes please
          enumRemap: {path: spec.a, mapping: [{hub: x}]}
        - strategy: ForEach
          forEach:
            hubItemsPath: spec.list
            spokeItemsPath: spec.list
            rules:
              - strategy: Delete
                delete: {path: zzz, existsOn: Hub}
`;

async function findings(config: string, schema: string): Promise<readonly Diagnostic[]> {
  const error = await prepare(TARGET, { config, schema }).catch((reason: unknown) => reason);
  if (!(error instanceof AppError)) throw new Error('the config was accepted');
  return error.details.diagnostics ?? [];
}

/** \`CODE rule.nested path:line\`, sorted. */
function summary(found: readonly Diagnostic[]): string[] {
  return found
    .map(
      ({ code, rule, nested, path, line }) =>
        `${code} ${[rule ?? '-', ...(nested ?? [])].join('.')} ${path}:${line ?? '-'}`,
    )
    .sort();
}

const RULE_FORMS = [
  'PARAMS_INVALID 1 fieldRename:13',
  'PARAMS_INVALID 2 enumRemap.mapping.0.spoke:16',
  'RULE_MALFORMED 2 acknowledgeLossy:15',
  'STRATEGY_UNKNOWN 0 strategy:11',
];

describe('a bad config is answered with everything at once', () => {
  test('envelope, form of rules, fields, and what is inside a ForEach, each with its line', async () => {
    expect(summary(await findings(CONFIG, SCHEMA))).toEqual(
      [
        'CONFIG_UNKNOWN_KEY - spec.bogus:7',
        ...RULE_FORMS,
        'FIELD_UNCOVERED - spec.a:9',
        'LOSSY_HUB_TO_SPOKE 3 spec.list:17',
        'LOSSY_HUB_TO_SPOKE 3.0 delete:23',
        'PATH_UNRESOLVED 1 spec.gone:12',
        'PATH_UNRESOLVED 3.0 spec.list.zzz:22',
      ].sort(),
    );
  });

  test('and the form of rules also where the schema or the rest of the config cannot be read', async () => {
    const forms = (found: string[]) => found.filter((line) => /^(PARAMS|RULE|STRATEGY)_/.test(line));
    expect(forms(summary(await findings(CONFIG, 'kind: Pod\n')))).toEqual(RULE_FORMS);
    expect(forms(summary(await findings(CONFIG.replace('hubVersion: v2', 'hubVersion: 5'), SCHEMA)))).toEqual(
      RULE_FORMS,
    );
    expect(forms(summary(await findings(CONFIG.replace('hubVersion: v2', 'hubVersion: v9'), SCHEMA)))).toEqual(
      RULE_FORMS,
    );
  });

  test('a fault of the schema does not hide what the rules do to its fields', async () => {
    const found = summary(await findings(CONFIG, SCHEMA.replace('kind: Widget,', '')));
    expect(found).toContain('SCHEMA_FIELD_MISSING - spec.names.kind:6');
    expect(found).toContain('PATH_UNRESOLVED 1 spec.gone:12');
  });

  test('each with a message, a path and what to do next', async () => {
    for (const { message, path, hint, severity } of await findings(CONFIG, SCHEMA)) {
      expect({ message, path, hint, severity }).toEqual({
        message: expect.stringMatching(/./),
        path: expect.stringMatching(/./),
        hint: expect.stringMatching(/./),
        severity: 'error',
      });
    }
  });
});
