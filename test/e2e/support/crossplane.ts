import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '../../../lib/k8s/yaml.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/xrd-buckets');

/** What Crossplane adds to the `spec` of every version. */
const MACHINERY = {
  type: 'object',
  properties: {
    compositionRef: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    resourceRefs: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
};
const CONDITIONS = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status'],
    properties: { type: { type: 'string' }, status: { type: 'string' }, reason: { type: 'string' } },
  },
};

/** The CRD that Crossplane makes of an XRD, in the parts that matter to conversion; no Crossplane runs here. */
export function renderCompositeCrd({ metadata, spec }: any): any {
  const { group, names, scope, versions, conversion } = spec;
  const singular = names.kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: metadata.name },
    spec: {
      group,
      scope,
      names: { singular, listKind: `${names.kind}List`, categories: ['composite'], ...names },
      ...(conversion && { conversion }),
      versions: versions.map(({ name, served, referenceable, schema: { openAPIV3Schema } }: any) => ({
        name,
        served,
        storage: referenceable,
        schema: { openAPIV3Schema: completeSchema(openAPIV3Schema) },
        subresources: { status: {} },
      })),
    },
  };
}

function completeSchema({ properties: { spec, status } }: any): any {
  return {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { ...spec, properties: { ...spec.properties, crossplane: MACHINERY } },
      status: { ...status, properties: { ...status?.properties, conditions: CONDITIONS } },
    },
  };
}

/** The XRD of `examples/`, and its object. */
export function loadXrd(): { readonly xrd: any; readonly object: any } {
  const read = (file: string): any => parseYaml(readFileSync(join(FOLDER, file), 'utf8'))[0]?.value;
  return { xrd: read('xrd.yaml'), object: read('object-v1alpha1.yaml') };
}
