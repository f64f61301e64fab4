import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, OVERWRITE_FLAG, SECRET_ARGUMENT } from '../common.ts';
import { pastLock, readSecretValue, refuseTokenFromStdin } from '../confirm.ts';

export const appsSecretsSet = defineCommand({
  name: 'apps secrets set',
  group: 'Apps',
  summary: 'set a secret of an app; its value is typed unseen, or comes from standard input',
  description:
    'On a terminal it asks for the value and does not show it; else all of standard input is the value, without the ' +
    'line break at its end. The app has it from its next cold start on; restart makes one.',
  args: { name: APP_ARGUMENT, key: SECRET_ARGUMENT },
  flags: { overwriteLocked: OVERWRITE_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'From a password store', command: 'apps secrets set json-api API_KEY < key' }],
  async run({ flags, args: { name, key } }, io) {
    refuseTokenFromStdin(flags, io);
    const apps = await openApps(flags, io);
    const value = await readSecretValue(key, io);
    await pastLock(apps.putSecret(name, key, value, flags.overwriteLocked), name, key);
    io.out(`${printable(`${name}: ${key} is set; \`roundhouse apps restart ${name}\` makes it count now`)}\n`);
    return EXIT.ok;
  },
});
