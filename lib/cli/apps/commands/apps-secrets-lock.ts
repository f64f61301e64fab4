import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, SECRET_ARGUMENT } from '../common.ts';

export const appsSecretsLock = defineCommand({
  name: 'apps secrets lock',
  group: 'Apps',
  summary: 'lock a secret of an app: it is not overwritten by mistake',
  args: { name: APP_ARGUMENT, key: SECRET_ARGUMENT },
  flags: ACCESS_FLAGS,
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Until somebody means it', command: 'apps secrets lock json-api API_KEY' }],
  async run({ flags, args: { name, key } }, io) {
    const apps = await openApps(flags, io);
    await apps.lockSecret(name, key, true);
    io.out(`${printable(`${name}: ${key} is locked`)}\n`);
    return EXIT.ok;
  },
});
