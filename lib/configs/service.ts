import { compileRevision } from './compile-revision.ts';
import { listConfigs } from './list.ts';
import { renderPatch } from './patch.ts';
import { type PutDeps, putConfig } from './put.ts';
import { removeConfig } from './remove.ts';
import { getRevision, listRevisions, requireHead, rollback } from './revisions.ts';
import { tryConvert } from './try-convert.ts';
import type { ConfigService } from './types.ts';
import { renderConfig } from './views.ts';

type ConfigServiceDeps = Omit<PutDeps, 'compileRevision'> & Partial<Pick<PutDeps, 'compileRevision'>>;

export function createConfigService(given: ConfigServiceDeps): ConfigService {
  const deps: PutDeps = { compileRevision, ...given };
  const { store } = deps;
  return {
    put: (target, input, options) => putConfig(deps, target, input, options),
    get: async (target) => renderConfig(store, await requireHead(store, target)),
    list: (query) => listConfigs(store, query),
    revisions: (target, query) => listRevisions(store, target, query),
    revision: (target, revision) => getRevision(store, target, revision),
    rollback: (target, revision, precondition) => rollback(deps, target, revision, precondition),
    remove: (target, options) => removeConfig(deps, target, options),
    tryConvert: (target, input) => tryConvert(deps, target, input),
    patch: (target, endpoint, options) => renderPatch(deps, target, endpoint, options),
  };
}
