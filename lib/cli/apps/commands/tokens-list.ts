import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { TOKEN_LISTING } from '../views.ts';

export const tokensList = defineCommand({
  name: 'tokens list',
  group: 'Access',
  summary: 'list the tokens, those that have ended included, without their text',
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Who may what', command: 'tokens list' }],
  async run({ flags }, io) {
    const apps = await openApps(flags, io);
    await printListing(io, flags.output, await apps.tokens(), TOKEN_LISTING);
    return EXIT.ok;
  },
});
