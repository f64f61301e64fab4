import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, LIMIT_FLAG, parseLimit } from '../common.ts';
import { confirm } from '../confirm.ts';
import { removeApp } from '../remove.ts';

export const appsDelete = defineCommand({
  name: 'apps delete',
  group: 'Apps',
  summary: 'remove an app with its function, secrets, packages and logs',
  description:
    'It asks for the name, unless --yes is given. The name is free again once everything is gone; what could not be ' +
    'removed yet is listed, and tried again by itself.',
  args: { name: APP_ARGUMENT },
  flags: {
    yes: { short: 'y', summary: 'do not ask' },
    wait: { summary: 'end when everything is gone; with 1 when something is left over' },
    waitTimeout: { ...LIMIT_FLAG, needs: 'wait' },
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'In a script', command: 'apps delete trial --yes --wait' }],
  async run({ flags, args: { name } }, io) {
    const limitMs = parseLimit(flags.waitTimeout);
    const apps = await openApps(flags, io);
    // Before the question: nobody should type the name of what is not there.
    await apps.get(name);
    await confirm(name, `removing the app ${name}`, flags.yes, io);
    return (await removeApp(apps, name, flags.wait ? limitMs : undefined, io)) ? EXIT.ok : EXIT.finding;
  },
});
