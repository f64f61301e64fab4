/** A kind whose objects were stored at v1, and are now stored at v2. */
export const NAME = 'gadgets.example.org';
const properties = (spec: object) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } },
});
const SIZE = { type: 'string' };
const SERIAL = { type: 'integer', format: 'int64' };

export const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget' },
    versions: [
      { name: 'v2', served: true, storage: true, schema: properties({ title: SIZE, size: SIZE, serial: SERIAL }) },
      { name: 'v1', served: true, storage: false, schema: properties({ name: SIZE, size: SIZE, serial: SERIAL }) },
    ],
  },
  status: {
    storedVersions: ['v1', 'v2'],
    conditions: [{ type: 'Established', status: 'True' }],
  },
};

/** Crossplane makes the CRD above of it, and one for its claims. */
export const xrd = {
  apiVersion: 'apiextensions.crossplane.io/v1',
  kind: 'CompositeResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: 'example.org',
    names: { kind: 'Gadget', plural: 'gadgets' },
    claimNames: { kind: 'Claim', plural: 'claims' },
    versions: crd.spec.versions.map(({ storage, ...version }) => ({ ...version, referenceable: storage })),
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
};

export const config = {
  apiVersion: 'terasky.com/v1alpha1',
  kind: 'CRDConversionConfig',
  metadata: { name: 'gadgets' },
  spec: {
    targetCRD: { name: NAME },
    hubVersion: 'v2',
    spokes: [
      {
        version: 'v1',
        rules: [
          { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.title', spokePath: 'spec.name' } },
          {
            strategy: 'EnumRemap',
            enumRemap: {
              path: 'spec.size',
              mapping: [
                { hub: 'S', spoke: 'small' },
                { hub: 'M', spoke: 'medium' },
              ],
            },
          },
        ],
      },
    ],
  },
};

export function gadget(name: string, spec: object = { title: name, size: 'S' }, metadata: object = {}) {
  return { apiVersion: 'example.org/v2', kind: 'Gadget', metadata: { name, namespace: 'default', ...metadata }, spec };
}
