import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { LISTING_FLAG, printListing } from '../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { ENDPOINT_LISTING } from '../remote/endpoints.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const endpointsList = defineCommand({
  name: 'endpoints list',
  group: 'Roundhouse',
  summary: 'list the endpoints that apiservers call',
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'With their selectors and the age of their tokens', command: 'endpoints list' }],
  async run({ flags }, io) {
    const roundhouse = await openRoundhouse(flags, io);
    await printListing(io, flags.output, await roundhouse.endpoints(), ENDPOINT_LISTING);
    return EXIT.ok;
  },
});
