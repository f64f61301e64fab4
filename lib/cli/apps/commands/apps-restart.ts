import { defineCommand } from '../../command.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, TURN_FLAGS } from '../common.ts';
import { runDeploy } from '../run-deploy.ts';

export const appsRestart = defineCommand({
  name: 'apps restart',
  group: 'Apps',
  summary: 'deploy the live code anew, with the settings and secrets of today',
  description: 'It is a deploy like any other: a version that does not answer well gets no traffic.',
  args: { name: APP_ARGUMENT },
  flags: { ...TURN_FLAGS, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF, { flags: ['detach', 'waitTimeout'] }],
  examples: [{ what: 'After a variable or a secret was changed', command: 'apps restart json-api' }],
  async run({ flags, args: { name } }, io) {
    const apps = await openApps(flags, io);
    return await runDeploy(apps, name, (once) => apps.restart(name, once), flags, io);
  },
});
