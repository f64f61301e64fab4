import type { Command } from '../command.ts';
import { analyze } from './analyze.ts';
import { completion } from './completion.ts';
import { contextsDelete } from './contexts-delete.ts';
import { contextsList } from './contexts-list.ts';
import { contextsUse } from './contexts-use.ts';
import { convert } from './convert.ts';
import { diff } from './diff.ts';
import { endpointsDelete } from './endpoints-delete.ts';
import { endpointsGet } from './endpoints-get.ts';
import { endpointsList } from './endpoints-list.ts';
import { endpointsPut } from './endpoints-put.ts';
import { endpointsRotate } from './endpoints-rotate.ts';
import { explain } from './explain.ts';
import { generateKyverno } from './generate-kyverno.ts';
import { login } from './login.ts';
import { migrateStorageCommand } from './migrate-storage.ts';
import { patchPreview } from './patch-preview.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { registry } from './registry.ts';
import { rehub } from './rehub.ts';
import { revisions } from './revisions.ts';
import { rollback } from './rollback.ts';
import { suggest } from './suggest.ts';
import { test } from './test.ts';
import { validate } from './validate.ts';
import { version } from './version.ts';
import { wire } from './wire.ts';

/** Every command, in the order of help. */
export const COMMANDS: readonly Command[] = [
  validate,
  analyze,
  explain,
  suggest,
  rehub,
  patchPreview,
  generateKyverno,
  test,
  diff,
  convert,
  wire,
  migrateStorageCommand,
  push,
  pull,
  revisions,
  rollback,
  endpointsList,
  endpointsGet,
  endpointsPut,
  endpointsRotate,
  endpointsDelete,
  registry,
  login,
  contextsList,
  contextsUse,
  contextsDelete,
  completion,
  version,
];
