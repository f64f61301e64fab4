import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, RESULT_FLAG } from '../common.ts';
import { tellVariables } from '../facts.ts';
import { parseVariables } from '../settings.ts';

export const appsEnvSet = defineCommand({
  name: 'apps env set',
  group: 'Apps',
  summary: 'set variables of an app; the others stay as they are',
  description:
    'They count from the next deploy or restart on. Values are no secrets: everybody who may read sees them.',
  args: { name: APP_ARGUMENT, variable: { summary: 'NAME=VALUE', required: true, repeat: true } },
  flags: { output: RESULT_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Two at once', command: 'apps env set json-api GREETING=Hi MODE=fast' }],
  async run({ flags, args: { name, variable } }, io) {
    const changes = parseVariables(variable);
    const apps = await openApps(flags, io);
    tellVariables(await apps.changeEnv(name, changes), `set ${Object.keys(changes).join(', ')}`, flags.output, io);
    return EXIT.ok;
  },
});
