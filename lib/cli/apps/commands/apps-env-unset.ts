import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, RESULT_FLAG } from '../common.ts';
import { tellVariables } from '../facts.ts';

export const appsEnvUnset = defineCommand({
  name: 'apps env unset',
  group: 'Apps',
  summary: 'remove variables of an app; the others stay as they are',
  description: 'It counts from the next deploy or restart on.',
  args: { name: APP_ARGUMENT, variable: { summary: 'the name of a variable', required: true, repeat: true } },
  flags: { output: RESULT_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'One of them', command: 'apps env unset json-api MODE' }],
  async run({ flags, args: { name, variable } }, io) {
    const apps = await openApps(flags, io);
    const app = await apps.changeEnv(name, Object.fromEntries(variable.map((key) => [key, null])));
    tellVariables(app, `removed ${variable.join(', ')}`, flags.output, io);
    return EXIT.ok;
  },
});
