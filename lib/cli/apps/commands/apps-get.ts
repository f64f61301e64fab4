import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, FACTS_FLAG } from '../common.ts';
import { printFacts } from '../facts.ts';
import { describeApp } from '../views.ts';

export const appsGet = defineCommand({
  name: 'apps get',
  group: 'Apps',
  summary: 'show one app: its state and why, what is live, and what a deploy would make it of',
  args: { name: APP_ARGUMENT },
  flags: { output: FACTS_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'All of it', command: 'apps get json-api -o json' }],
  async run({ flags, args: { name } }, io) {
    const apps = await openApps(flags, io);
    const app = await apps.get(name);
    await printFacts(io, flags.output, app, describeApp(app));
    return EXIT.ok;
  },
});
