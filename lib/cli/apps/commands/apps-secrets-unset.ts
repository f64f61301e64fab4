import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, OVERWRITE_FLAG, SECRET_ARGUMENT } from '../common.ts';
import { pastLock } from '../confirm.ts';

export const appsSecretsUnset = defineCommand({
  name: 'apps secrets unset',
  group: 'Apps',
  summary: 'remove a secret of an app',
  args: { name: APP_ARGUMENT, key: SECRET_ARGUMENT },
  flags: { overwriteLocked: OVERWRITE_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Once no release reads it', command: 'apps secrets unset json-api API_KEY' }],
  async run({ flags, args: { name, key } }, io) {
    const apps = await openApps(flags, io);
    await pastLock(apps.removeSecret(name, key, flags.overwriteLocked), name, key);
    io.out(`${printable(`${name}: ${key} is removed`)}\n`);
    return EXIT.ok;
  },
});
