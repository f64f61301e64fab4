import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { LISTING_FLAG, type Listing, printListing } from '../../output/listing.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT } from '../common.ts';

interface Variable {
  readonly name: string;
  readonly value: string;
}

const LISTING: Listing<Variable> = {
  none: 'no variables',
  name: ({ name }) => name,
  columns: [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'VALUE', cell: ({ value }) => value },
  ],
};

export const appsEnvList = defineCommand({
  name: 'apps env list',
  group: 'Apps',
  summary: 'list the variables of an app; secrets are none of them',
  args: { name: APP_ARGUMENT },
  flags: { output: LISTING_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Names and values', command: 'apps env list json-api' }],
  async run({ flags, args: { name } }, io) {
    const apps = await openApps(flags, io);
    const app = await apps.get(name);
    const variables = Object.entries(app.env ?? {}).map(([key, value]): Variable => ({ name: key, value }));
    await printListing(io, flags.output, variables, LISTING);
    if (app.env_dirty) io.err(`note: not all of it is live: \`roundhouse apps restart ${app.name}\` makes it count\n`);
    return EXIT.ok;
  },
});
