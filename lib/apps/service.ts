import { requireApp } from './records.ts';
import { createArtifact } from './service/artifacts.ts';
import { createNew } from './service/create.ts';
import { cancel, deploy, getAttempt, listAttempts, listFailed, restart } from './service/deploys.ts';
import type { AppServiceDeps } from './service/deps.ts';
import { listDomains } from './service/domains.ts';
import { changeEnv } from './service/env.ts';
import { setSuspended } from './service/lifecycle.ts';
import { listApps } from './service/list.ts';
import { removeOrMark } from './service/remove.ts';
import { replaceSpec } from './service/replace.ts';
import { rollBack } from './service/rollback.ts';
import { lockSecret, putSecret, removeSecret } from './service/secrets.ts';
import { ask } from './service/upstream.ts';
import type { AppService } from './types.ts';

/** Everything that the API does with apps; what takes time is left to `worker`. */
export function createAppService(deps: AppServiceDeps): AppService {
  return {
    list: (query) => listApps(deps, query),
    get: (name) => requireApp(deps, name),
    create: (name, input, caller) => createNew(deps, name, input, caller),
    replace: (name, input, caller, guard) => replaceSpec(deps, name, input, caller, guard?.ifMatch),
    remove: (name, caller, guard) => removeOrMark(deps, name, caller, guard?.ifMatch),
    stop: (name, _caller, guard) => setSuspended(deps, name, true, guard?.ifMatch),
    start: (name, _caller, guard) => setSuspended(deps, name, false, guard?.ifMatch),
    restart: (name, caller, guard) => restart(deps, name, caller, guard?.ifMatch),
    deploy: (name, image, caller, guard) => deploy(deps, name, image, caller, guard?.ifMatch),
    attempts: (name, query) => listAttempts(deps, name, query),
    attempt: (name, id) => getAttempt(deps, name, id),
    cancel: (name, id, caller) => cancel(deps, name, id, caller),
    rollback: (name, id, caller) => rollBack(deps, name, id, caller),
    failed: (since) => listFailed(deps, since),
    conditions: async (name) => (await requireApp(deps, name)).conditions,
    changeEnv: (name, changes, guard) => changeEnv(deps, name, changes, guard?.ifMatch),
    secrets: async (name) => (await requireApp(deps, name)).secrets,
    putSecret: (name, key, input) => putSecret(deps, name, key, input),
    lockSecret: (name, key, locked) => lockSecret(deps, name, key, locked),
    removeSecret: (name, key, input) => removeSecret(deps, name, key, input),
    createArtifact: (name) => createArtifact(deps, name),
    domains: () => listDomains(deps),
    async logs(name, query) {
      await requireApp(deps, name);
      return await ask(deps.logs.read(name, query));
    },
    async metrics(name, query) {
      await requireApp(deps, name);
      return await ask(deps.metrics.read(name, query));
    },
  };
}
