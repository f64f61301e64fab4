import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { LISTING_FLAG, type Listing, printListing } from '../output/listing.ts';
import { loadContexts } from '../remote/contexts.ts';

interface ContextRow {
  readonly name: string;
  readonly current: boolean;
  readonly server: string;
}

const LISTING: Listing<ContextRow> = {
  none: 'no contexts; login makes one',
  name: ({ name }) => name,
  columns: [
    { header: 'CURRENT', cell: ({ current }) => (current ? '*' : '') },
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'SERVER', cell: ({ server }) => server },
  ],
};

export const contextsList = defineCommand({
  name: 'contexts list',
  group: 'Roundhouse',
  summary: 'list the contexts that login made, without their tokens',
  flags: { output: LISTING_FLAG },
  examples: [{ what: 'The current one has a star', command: 'contexts list' }],
  async run({ flags }, io) {
    const { current, contexts } = await loadContexts(io);
    const rows = Object.entries(contexts)
      .map(([name, { server }]): ContextRow => ({ name, current: name === current, server }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    await printListing(io, flags.output, rows, LISTING);
    return EXIT.ok;
  },
});
