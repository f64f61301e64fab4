import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { parseGrace, printResult } from '../remote/endpoints.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';
import { TOKEN_OUT_FLAG } from '../remote/token-file.ts';

export const endpointsRotate = defineCommand({
  name: 'endpoints rotate',
  group: 'Roundhouse',
  summary: 'give an endpoint a new path token',
  description:
    'The new token is printed on standard output, this once, and works at once; the one before it stays valid for the ' +
    'grace time, in which every CRD and XRD needs its patch again.',
  args: { name: { summary: 'the endpoint', required: true } },
  flags: {
    grace: { value: 'DURATION', default: '24h', summary: 'how long the old token stays valid, 720h at most' },
    tokenOut: TOKEN_OUT_FLAG,
    output: { short: 'o', value: 'FORMAT', default: 'text', choices: ['text', 'json'], summary: 'how to print' },
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'A token for the next week', command: 'endpoints rotate prod --grace 168h' },
    { what: 'The old one is known to others: end it', command: 'endpoints rotate prod --grace 0s' },
  ],
  async run({ flags, args: { name } }, io) {
    const graceSeconds = parseGrace(flags.grace);
    const roundhouse = await openRoundhouse(flags, io);
    await printResult(() => roundhouse.rotate(name, { graceSeconds }), flags, io);
    return EXIT.ok;
  },
});
