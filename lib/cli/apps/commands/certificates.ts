import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { CERTIFICATE_LISTING } from '../views.ts';

export const certificates = defineCommand({
  name: 'certificates',
  group: 'System',
  summary: 'list the certificates, with how long each is good',
  description: 'It ends with 1 when one of them is not healthy.',
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'With all their names', command: 'certificates -o wide' }],
  async run({ flags }, io) {
    const apps = await openApps(flags, io);
    const found = await apps.certificates();
    await printListing(io, flags.output, found, CERTIFICATE_LISTING);
    return found.every(({ status }) => status === 'healthy') ? EXIT.ok : EXIT.finding;
  },
});
