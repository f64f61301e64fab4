import type { RevisionView } from '../../configs/types.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { LISTING_FLAG, type Listing, printListing } from '../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

const LISTING: Listing<RevisionView> = {
  none: 'no revisions',
  name: ({ revision }) => String(revision),
  columns: [
    { header: 'REVISION', cell: ({ revision }) => String(revision) },
    { header: 'ACTIVE', cell: ({ active }) => (active ? '*' : '') },
    { header: 'CREATED', cell: ({ createdAt }) => createdAt },
    { header: 'HUB', cell: ({ hubVersion }) => hubVersion },
    { header: 'VERSIONS', cell: ({ versions }) => versions.map(({ name }) => name).join(',') },
    { header: 'LOSSLESS', cell: ({ lossless }) => (lossless ? 'yes' : 'no') },
    { header: 'WARNINGS', cell: ({ warnings }) => String(warnings.length) },
    { header: 'CONFIG', cell: ({ name }) => name, wide: true },
    { header: 'PLAN', cell: ({ planHash }) => planHash, wide: true },
  ],
};

export const revisions = defineCommand({
  name: 'revisions',
  group: 'Roundhouse',
  summary: 'list the revisions of a config, newest first',
  args: { target: { summary: 'the name of the CRD or XRD', required: true } },
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'All of one config', command: 'revisions databases.data.example.org' }],
  async run({ flags, args }, io) {
    const roundhouse = await openRoundhouse(flags, io);
    await printListing(io, flags.output, await roundhouse.revisions(args.target), LISTING);
    return EXIT.ok;
  },
});
