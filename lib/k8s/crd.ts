import type { DefinitionKind } from './definition.ts';

/** `CustomResourceDefinition` of apiextensions.k8s.io/v1. */
export const CRD: DefinitionKind = {
  source: 'CRD',
  kind: 'CustomResourceDefinition',
  apiVersions: ['apiextensions.k8s.io/v1'],
  retired: {
    'apiextensions.k8s.io/v1beta1':
      'Kubernetes 1.22 removed v1beta1; export the CRD again with kubectl get crd -o yaml, which writes v1',
  },
  storageFlag: 'storage',
};
