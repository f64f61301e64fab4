import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { FAILED_LISTING } from '../views.ts';

export const deploysFailed = defineCommand({
  name: 'deploys failed',
  group: 'Deploys',
  summary: 'list the apps whose last deploy failed',
  description: 'It ends with 1 when there are any, as diff does, so that a script can tell. -o wide has what to do.',
  flags: {
    since: { value: 'DURATION', default: '24h', summary: 'only deploys that began since' },
    output: LISTING_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Of the last week', command: 'deploys failed --since 168h -o wide' }],
  async run({ flags }, io) {
    const apps = await openApps(flags, io);
    const failed = await apps.failed(flags.since);
    await printListing(io, flags.output, failed, FAILED_LISTING);
    return failed.length === 0 ? EXIT.ok : EXIT.finding;
  },
});
