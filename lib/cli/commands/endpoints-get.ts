import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { LISTING_FLAG, printOne } from '../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { ENDPOINT_LISTING } from '../remote/endpoints.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const endpointsGet = defineCommand({
  name: 'endpoints get',
  group: 'Roundhouse',
  summary: 'show one endpoint',
  args: { name: { summary: 'the endpoint', required: true } },
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'All that is known of it', command: 'endpoints get prod -o yaml' }],
  async run({ flags, args }, io) {
    const roundhouse = await openRoundhouse(flags, io);
    await printOne(io, flags.output, await roundhouse.endpoint(args.name), ENDPOINT_LISTING);
    return EXIT.ok;
  },
});
