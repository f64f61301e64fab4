import type { Command } from '../../command.ts';
import type { Program } from '../../programs.ts';

const COMMAND_FILES: Program['commands'] = {
  'apps list': async () => (await import('./apps-list.ts')).appsList,
  'apps get': async () => (await import('./apps-get.ts')).appsGet,
  'apps create': async () => (await import('./apps-create.ts')).appsCreate,
  'apps deploy': async () => (await import('./apps-deploy.ts')).appsDeploy,
  'apps stop': async () => (await import('./apps-stop.ts')).appsStop,
  'apps start': async () => (await import('./apps-start.ts')).appsStart,
  'apps restart': async () => (await import('./apps-restart.ts')).appsRestart,
  'apps rollback': async () => (await import('./apps-rollback.ts')).appsRollback,
  'apps delete': async () => (await import('./apps-delete.ts')).appsDelete,
  'apps logs': async () => (await import('./apps-logs.ts')).appsLogs,
  'apps env list': async () => (await import('./apps-env-list.ts')).appsEnvList,
  'apps env set': async () => (await import('./apps-env-set.ts')).appsEnvSet,
  'apps env unset': async () => (await import('./apps-env-unset.ts')).appsEnvUnset,
  'apps secrets list': async () => (await import('./apps-secrets-list.ts')).appsSecretsList,
  'apps secrets set': async () => (await import('./apps-secrets-set.ts')).appsSecretsSet,
  'apps secrets unset': async () => (await import('./apps-secrets-unset.ts')).appsSecretsUnset,
  'apps secrets lock': async () => (await import('./apps-secrets-lock.ts')).appsSecretsLock,
  'apps secrets unlock': async () => (await import('./apps-secrets-unlock.ts')).appsSecretsUnlock,
  'deploys list': async () => (await import('./deploys-list.ts')).deploysList,
  'deploys get': async () => (await import('./deploys-get.ts')).deploysGet,
  'deploys failed': async () => (await import('./deploys-failed.ts')).deploysFailed,
  'deploys watch': async () => (await import('./deploys-watch.ts')).deploysWatch,
  'deploys cancel': async () => (await import('./deploys-cancel.ts')).deploysCancel,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  certificates: async () => (await import('./certificates.ts')).certificates,
  login: async () => access((await import('../../commands/login.ts')).login),
  'contexts list': async () => access((await import('../../commands/contexts-list.ts')).contextsList),
  'contexts use': async () => access((await import('../../commands/contexts-use.ts')).contextsUse),
  'contexts delete': async () => access((await import('../../commands/contexts-delete.ts')).contextsDelete),
  'tokens list': async () => (await import('./tokens-list.ts')).tokensList,
  'tokens create': async () => (await import('./tokens-create.ts')).tokensCreate,
  'tokens revoke': async () => (await import('./tokens-revoke.ts')).tokensRevoke,
  completion: async () => (await import('./completion.ts')).completion,
  version: async () => (await import('./version.ts')).version,
};

/** Contexts are those of convctl, and so are their commands. */
function access(command: Command): Command {
  return { ...command, group: 'Access' };
}

export const ROUNDHOUSE: Program = {
  name: 'roundhouse',
  summary: 'Deploy, watch and mend the apps of a Roundhouse.',
  groups: ['Apps', 'Deploys', 'System', 'Access', 'Other'],
  commands: COMMAND_FILES,
};
