import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, parseCount } from '../common.ts';
import { ATTEMPT_LISTING } from '../views.ts';

export const deploysList = defineCommand({
  name: 'deploys list',
  group: 'Deploys',
  summary: 'list the deploys of an app, newest first',
  args: { name: APP_ARGUMENT },
  flags: {
    limit: { value: 'N', default: '20', summary: 'how many, up to 500' },
    output: LISTING_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'The last ones', command: 'deploys list json-api' }],
  async run({ flags, args: { name } }, io) {
    const limit = parseCount(flags.limit, '--limit', 500);
    const apps = await openApps(flags, io);
    await printListing(io, flags.output, await apps.attempts(name, limit), ATTEMPT_LISTING);
    return EXIT.ok;
  },
});
