import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT } from '../common.ts';
import { SECRET_LISTING } from '../views.ts';

export const appsSecretsList = defineCommand({
  name: 'apps secrets list',
  group: 'Apps',
  summary: 'list the secrets of an app, without their values, which nobody can read back',
  args: { name: APP_ARGUMENT },
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Which there are, and since when', command: 'apps secrets list json-api' }],
  async run({ flags, args: { name } }, io) {
    const apps = await openApps(flags, io);
    await printListing(io, flags.output, await apps.secrets(name), SECRET_LISTING);
    return EXIT.ok;
  },
});
