import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const endpointsDelete = defineCommand({
  name: 'endpoints delete',
  group: 'Roundhouse',
  summary: 'remove an endpoint; its URL stops to answer within 5 seconds',
  description: 'It is refused while a config names the endpoint.',
  args: { name: { summary: 'the endpoint', required: true } },
  flags: ACCESS_FLAGS,
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'Once no cluster calls it', command: 'endpoints delete trial' }],
  async run({ flags, args: { name } }, io) {
    const roundhouse = await openRoundhouse(flags, io);
    await roundhouse.removeEndpoint(name);
    io.out(`endpoint ${name}: removed\n`);
    return EXIT.ok;
  },
});
