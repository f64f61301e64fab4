import type { DefinitionKind } from './definition.ts';

/**
 * Crossplane's `CompositeResourceDefinition`, v1 and v2. `scope` and the fields that Crossplane adds to the generated
 * CRD make no difference to conversion: what a schema does not declare passes through.
 */
export const XRD: DefinitionKind = {
  source: 'XRD',
  kind: 'CompositeResourceDefinition',
  apiVersions: ['apiextensions.crossplane.io/v1', 'apiextensions.crossplane.io/v2'],
  retired: {
    'apiextensions.crossplane.io/v1beta1': 'write the XRD in v1 or v2',
    'apiextensions.crossplane.io/v1alpha1': 'write the XRD in v1 or v2',
  },
  storageFlag: 'referenceable',
};
