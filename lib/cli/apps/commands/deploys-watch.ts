import { defineCommand } from '../../command.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, DEPLOY_ARGUMENT, LIMIT_FLAG, parseLimit, RESULT_FLAG } from '../common.ts';
import { follow } from '../follow.ts';
import { tellOutcome } from '../outcome.ts';

export const deploysWatch = defineCommand({
  name: 'deploys watch',
  group: 'Deploys',
  summary: 'look at a deploy until it is over, and tell how it ended',
  description: 'It ends with 1 when there is no release of it.',
  args: { name: APP_ARGUMENT, id: { ...DEPLOY_ARGUMENT, required: false } },
  flags: { waitTimeout: LIMIT_FLAG, output: RESULT_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'The newest one', command: 'deploys watch json-api' }],
  async run({ flags, args: { name, id = 'latest' } }, io) {
    const limitMs = parseLimit(flags.waitTimeout);
    const apps = await openApps(flags, io);
    // A newer one may become the latest while this one is looked at.
    const fixed = id === 'latest' ? (await apps.attempt(name, id)).id : id;
    return await tellOutcome(apps, name, await follow(apps, name, fixed, limitMs, io), flags.output, io);
  },
});
