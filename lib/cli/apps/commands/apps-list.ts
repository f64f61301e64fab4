import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_LISTING } from '../views.ts';

export const appsList = defineCommand({
  name: 'apps list',
  group: 'Apps',
  summary: 'list the apps, with what is true of each',
  flags: {
    filter: { value: 'TEXT', summary: 'only those with this text in their name' },
    output: LISTING_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'With images, domains and why each is as it is', command: 'apps list -o wide' }],
  async run({ flags }, io) {
    const apps = await openApps(flags, io);
    await printListing(io, flags.output, await apps.list({ q: flags.filter }), APP_LISTING);
    return EXIT.ok;
  },
});
