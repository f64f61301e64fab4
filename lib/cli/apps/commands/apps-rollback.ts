import { defineCommand } from '../../command.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, TURN_FLAGS } from '../common.ts';
import { findRelease } from '../releases.ts';
import { runDeploy } from '../run-deploy.ts';

export const appsRollback = defineCommand({
  name: 'apps rollback',
  group: 'Apps',
  summary: 'bring an earlier release back: its code, variables and settings together',
  description:
    'Secrets keep their values of today; those that are newer than the release are named. It is a new release, which ' +
    'must answer well before it gets traffic.',
  args: { name: APP_ARGUMENT },
  flags: {
    to: {
      value: 'RELEASE',
      summary: 'the number of a release, or the id of its deploy; else the one before the live one',
    },
    ...TURN_FLAGS,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF, { flags: ['detach', 'waitTimeout'] }],
  examples: [
    { what: 'One back', command: 'apps rollback json-api' },
    { what: 'To a certain one', command: 'apps rollback json-api --to 3' },
  ],
  async run({ flags, args: { name } }, io) {
    const apps = await openApps(flags, io);
    const target = await findRelease(apps, name, flags.to);
    return await runDeploy(apps, name, (once) => apps.rollback(name, target, once), flags, io);
  },
});
