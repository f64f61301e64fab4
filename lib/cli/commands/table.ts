import type { Program } from '../programs.ts';

const COMMAND_FILES: Program['commands'] = {
  validate: async () => (await import('./validate.ts')).validate,
  analyze: async () => (await import('./analyze.ts')).analyze,
  explain: async () => (await import('./explain.ts')).explain,
  suggest: async () => (await import('./suggest.ts')).suggest,
  rehub: async () => (await import('./rehub.ts')).rehub,
  'patch-preview': async () => (await import('./patch-preview.ts')).patchPreview,
  'generate kyverno': async () => (await import('./generate-kyverno.ts')).generateKyverno,
  test: async () => (await import('./test.ts')).test,
  diff: async () => (await import('./diff.ts')).diff,
  convert: async () => (await import('./convert.ts')).convert,
  wire: async () => (await import('./wire.ts')).wire,
  'migrate-storage': async () => (await import('./migrate-storage.ts')).migrateStorageCommand,
  push: async () => (await import('./push.ts')).push,
  pull: async () => (await import('./pull.ts')).pull,
  revisions: async () => (await import('./revisions.ts')).revisions,
  rollback: async () => (await import('./rollback.ts')).rollback,
  'endpoints list': async () => (await import('./endpoints-list.ts')).endpointsList,
  'endpoints get': async () => (await import('./endpoints-get.ts')).endpointsGet,
  'endpoints put': async () => (await import('./endpoints-put.ts')).endpointsPut,
  'endpoints rotate': async () => (await import('./endpoints-rotate.ts')).endpointsRotate,
  'endpoints delete': async () => (await import('./endpoints-delete.ts')).endpointsDelete,
  registry: async () => (await import('./registry.ts')).registry,
  login: async () => (await import('./login.ts')).login,
  'contexts list': async () => (await import('./contexts-list.ts')).contextsList,
  'contexts use': async () => (await import('./contexts-use.ts')).contextsUse,
  'contexts delete': async () => (await import('./contexts-delete.ts')).contextsDelete,
  completion: async () => (await import('./completion.ts')).completion,
  version: async () => (await import('./version.ts')).version,
};

export const CONVCTL: Program = {
  name: 'convctl',
  summary: 'Author, check and ship declarative conversions of CRDs and Crossplane XRDs.',
  groups: ['Author', 'Test', 'Cluster', 'Roundhouse', 'Other'],
  commands: COMMAND_FILES,
};
