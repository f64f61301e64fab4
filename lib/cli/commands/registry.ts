import type { RegistryRow } from '../../configs/types.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { LISTING_FLAG, type Listing, printListing } from '../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

const LISTING: Listing<RegistryRow> = {
  none: 'no configs',
  name: ({ target }) => target,
  columns: [
    { header: 'TARGET', cell: ({ target }) => target },
    { header: 'READY', cell: ({ ready }) => (ready ? 'yes' : 'no') },
    { header: 'REVISION', cell: ({ revision }) => String(revision) },
    { header: 'VERSIONS', cell: ({ versions }) => versions.join(',') },
    { header: 'PLAN', cell: ({ planHash }) => planHash ?? '', wide: true },
    { header: 'COMPILED', cell: ({ compiledAt }) => compiledAt ?? '', wide: true },
    { header: 'FAILED', cell: ({ lastErrorAt }) => lastErrorAt ?? '', wide: true },
    { header: 'ERROR', cell: ({ lastError }) => lastError ?? '' },
  ],
};

export const registry = defineCommand({
  name: 'registry',
  group: 'Roundhouse',
  summary: 'show which revision serves each target',
  description: 'It ends with 1 when a target is not served, or not by its active revision.',
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Whether everything is served', command: 'registry' }],
  async run({ flags }, io) {
    const roundhouse = await openRoundhouse(flags, io);
    const rows = await roundhouse.registry();
    await printListing(io, flags.output, rows, LISTING);
    return rows.every(({ ready, lastError }) => ready && lastError === undefined) ? EXIT.ok : EXIT.finding;
  },
});
