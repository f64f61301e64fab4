import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, SECRET_ARGUMENT } from '../common.ts';

export const appsSecretsUnlock = defineCommand({
  name: 'apps secrets unlock',
  group: 'Apps',
  summary: 'unlock a secret of an app',
  args: { name: APP_ARGUMENT, key: SECRET_ARGUMENT },
  flags: ACCESS_FLAGS,
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'To change it', command: 'apps secrets unlock json-api API_KEY' }],
  async run({ flags, args: { name, key } }, io) {
    const apps = await openApps(flags, io);
    await apps.lockSecret(name, key, false);
    io.out(`${printable(`${name}: ${key} is no longer locked`)}\n`);
    return EXIT.ok;
  },
});
