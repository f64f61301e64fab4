import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import { parseTarget } from '../../../lib/k8s/target.ts';
import { parseYaml } from '../../../lib/k8s/yaml.ts';
import { sharedMaterial } from '../../support/shared.ts';

const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', 'x-unknown': [1, { a: null }] } } };

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.demo.example.test' },
  spec: {
    group: 'demo.example.test',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema } },
      { name: 'v1', served: false, storage: false, schema: { openAPIV3Schema } },
    ],
  },
};

const xrd = {
  apiVersion: 'apiextensions.crossplane.io/v2',
  kind: 'CompositeResourceDefinition',
  metadata: { name: 'xwidgets.demo.example.test' },
  spec: {
    group: 'demo.example.test',
    scope: 'LegacyCluster',
    names: { kind: 'XWidget', plural: 'xwidgets' },
    versions: [
      { name: 'v1', served: true, schema: { openAPIV3Schema } },
      { name: 'v2', served: true, referenceable: true, schema: { openAPIV3Schema } },
      { name: 'v3alpha1', referenceable: false },
    ],
  },
};

/** A copy with the value at a path replaced, or taken away. */
function edit(document: JsonObject, path: readonly (string | number)[], value?: Json): JsonObject {
  const copy = structuredClone(document) as Record<string, any>;
  let container = copy as any;
  for (const segment of path.slice(0, -1)) container = container[segment];
  const last = path.at(-1) as string;
  if (value === undefined) delete container[last];
  else container[last] = value;
  return copy;
}

const codes = (document: Json) => parseTarget(document).diagnostics?.map(({ code, path }) => `${code} ${path}`);

describe('parseTarget', () => {
  test('reads a CRD and passes its schemas through untouched', () => {
    const { target } = parseTarget(crd);
    expect(target).toEqual({
      source: 'CRD',
      name: 'widgets.demo.example.test',
      group: 'demo.example.test',
      kind: 'Widget',
      plural: 'widgets',
      versions: [
        { name: 'v2', served: true, storage: true, schema: openAPIV3Schema },
        { name: 'v1', served: false, storage: false, schema: openAPIV3Schema },
      ],
    });
    expect(target?.versions[0]?.schema).toBe(crd.spec.versions[0]?.schema.openAPIV3Schema);
  });

  test.each(['apiextensions.crossplane.io/v1', 'apiextensions.crossplane.io/v2'])(
    'reads an XRD of %s: referenceable is the storage version, missing flags are false, a schema may be missing',
    (apiVersion) => {
      expect(parseTarget({ ...xrd, apiVersion }).target).toEqual({
        source: 'XRD',
        name: 'xwidgets.demo.example.test',
        group: 'demo.example.test',
        kind: 'XWidget',
        plural: 'xwidgets',
        versions: [
          { name: 'v1', served: true, storage: false, schema: openAPIV3Schema },
          { name: 'v2', served: true, storage: true, schema: openAPIV3Schema },
          { name: 'v3alpha1', served: false, storage: false },
        ],
      });
    },
  );

  test('keeps the names of the claims of an XRD', () => {
    const claimed = edit(xrd, ['spec', 'claimNames'], { kind: 'Widget', plural: 'widgets' });
    expect(parseTarget(claimed).target?.claim).toEqual({ kind: 'Widget', plural: 'widgets' });
    expect(codes(edit(xrd, ['spec', 'claimNames'], { kind: 'Widget' }))).toEqual([
      'SCHEMA_FIELD_MISSING spec.claimNames.plural',
    ]);
  });

  test.each<[Json, string]>([
    [null, 'SCHEMA_KIND '],
    ['text', 'SCHEMA_KIND '],
    [[crd], 'SCHEMA_KIND '],
    [{}, 'SCHEMA_KIND kind'],
    [{ ...crd, kind: 'Deployment' }, 'SCHEMA_KIND kind'],
    [{ ...crd, apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'SCHEMA_API_VERSION apiVersion'],
    [{ ...crd, apiVersion: 'apiextensions.crossplane.io/v1' }, 'SCHEMA_API_VERSION apiVersion'],
    [{ ...crd, apiVersion: 'constructor' }, 'SCHEMA_API_VERSION apiVersion'],
    [edit(crd, ['apiVersion']), 'SCHEMA_API_VERSION apiVersion'],
    [edit(crd, ['metadata']), 'SCHEMA_NAME_MISSING metadata.name'],
    [edit(crd, ['metadata', 'name'], 'gadgets.demo.example.test'), 'SCHEMA_NAME_MISMATCH metadata.name'],
    [edit(crd, ['spec']), 'SCHEMA_FIELD_MISSING spec'],
    [edit(crd, ['spec', 'group'], ''), 'SCHEMA_FIELD_MISSING spec.group'],
    [edit(crd, ['spec', 'names', 'kind'], 5), 'SCHEMA_FIELD_MISSING spec.names.kind'],
    [edit(crd, ['spec', 'versions'], []), 'SCHEMA_VERSIONS_MISSING spec.versions'],
    [edit(crd, ['spec', 'versions'], {}), 'SCHEMA_VERSIONS_MISSING spec.versions'],
    [edit(crd, ['spec', 'versions', 1], 'v1'), 'SCHEMA_VERSION_INVALID spec.versions[1]'],
    [edit(crd, ['spec', 'versions', 1, 'name'], 'v2'), 'SCHEMA_VERSION_DUPLICATE spec.versions[1].name'],
    [edit(crd, ['spec', 'versions', 1, 'name'], 'V/1'), 'SCHEMA_VERSION_NAME spec.versions[1].name'],
    [edit(crd, ['spec', 'versions', 1, 'name']), 'SCHEMA_VERSION_NAME spec.versions[1].name'],
    [edit(crd, ['spec', 'versions', 1, 'served'], 'yes'), 'SCHEMA_VERSION_FLAG spec.versions[1].served'],
    [edit(crd, ['spec', 'versions', 1, 'storage'], true), 'SCHEMA_VERSION_STORAGE spec.versions'],
    [edit(crd, ['spec', 'versions', 0, 'storage']), 'SCHEMA_VERSION_STORAGE spec.versions'],
    [edit(xrd, ['spec', 'versions', 1, 'referenceable']), 'SCHEMA_VERSION_STORAGE spec.versions'],
    [edit(crd, ['spec', 'versions', 0, 'schema'], 'x'), 'SCHEMA_VERSION_SCHEMA spec.versions[0].schema'],
    [
      edit(crd, ['spec', 'versions', 0, 'schema', 'openAPIV3Schema'], []),
      'SCHEMA_VERSION_SCHEMA spec.versions[0].schema.openAPIV3Schema',
    ],
  ])('answers a bad definition with its code and path (%#)', (document, expected) => {
    expect(codes(document)).toEqual([expected]);
  });

  test('says what to do with a v1beta1 CRD', () => {
    expect(parseTarget({ ...crd, apiVersion: 'apiextensions.k8s.io/v1beta1' }).diagnostics).toEqual([
      {
        code: 'SCHEMA_API_VERSION',
        severity: 'error',
        path: 'apiVersion',
        message: 'apiVersion is "apiextensions.k8s.io/v1beta1", expected apiextensions.k8s.io/v1',
        hint: expect.stringMatching(/v1beta1/),
      },
    ]);
  });

  test('reports all problems at once, with the lines of the text', () => {
    const [document] = parseYaml(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {labels: {}}
spec:
  names: {kind: Widget}
  versions:
    - name: V1
      storage: true
    - name: v2
      served: 1
      storage: true
`);
    const { diagnostics } = parseTarget(document?.value ?? null, document?.lineOf);
    expect(diagnostics?.map(({ code, path, line }) => [code, path, line])).toEqual([
      ['SCHEMA_FIELD_MISSING', 'spec.group', 4],
      ['SCHEMA_FIELD_MISSING', 'spec.names.plural', 5],
      ['SCHEMA_NAME_MISSING', 'metadata.name', 3],
      ['SCHEMA_VERSION_NAME', 'spec.versions[0].name', 7],
      ['SCHEMA_VERSION_FLAG', 'spec.versions[1].served', 10],
      ['SCHEMA_VERSION_STORAGE', 'spec.versions', 6],
    ]);
  });
});

const [crds, sets] = [sharedMaterial('real-crds'), sharedMaterial('peer-fixtures')];
const missing = crds.missing ?? sets.missing;

test.skipIf(missing !== undefined)(`reads the definitions of public projects${missing ? ` (${missing})` : ''}`, () => {
  const files = [
    ...readdirSync(crds.path).map((file) => join(crds.path, file)),
    ...readdirSync(sets.path)
      .map((set) => join(sets.path, set, 'schema.yaml'))
      .filter((file) => existsSync(file)),
  ];
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const [document] = parseYaml(readFileSync(file, 'utf8'));
    expect([file, parseTarget(document?.value ?? null).diagnostics]).toEqual([file, []]);
  }
});
