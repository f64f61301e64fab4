import { AppError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { readSource } from '../input/files.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { printResult, putEndpointFile, putEndpointNamed, sayFindings } from '../remote/endpoints.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const endpointsPut = defineCommand({
  name: 'endpoints put',
  group: 'Roundhouse',
  summary: 'make an endpoint, or change it',
  description:
    'A new endpoint has a path token: it is printed on standard output, this once. Without a file an endpoint that is ' +
    'there keeps its selector, and stays the default if it is.',
  args: { name: { summary: 'the endpoint', required: true } },
  flags: {
    file: { short: 'f', value: 'FILE', summary: 'the ConversionWebhookServer that it should be; - for standard input' },
    default: { summary: 'make it the one of configs that name none' },
    output: { short: 'o', value: 'FORMAT', default: 'text', choices: ['text', 'json'], summary: 'how to print' },
    ...ACCESS_FLAGS,
  },
  oneOf: [{ flags: ['file', 'default'] }, ...ACCESS_ONE_OF],
  examples: [
    {
      what: 'A first endpoint; its token goes into a file',
      command: 'endpoints put prod --default > token',
    },
    { what: 'With a selector', command: 'endpoints put payments -f endpoint.yaml' },
  ],
  async run({ flags, args: { name } }, io) {
    const { file, token, tokenFile } = flags;
    if ([file, token, tokenFile].filter((path) => path === '-').length > 1) {
      throw new AppError('BAD_REQUEST', 'only one of the token and the file can be on standard input');
    }
    const source = file === undefined ? undefined : await readSource(file, 'endpoint', io);
    const roundhouse = await openRoundhouse(flags, io);
    const { result, findings } = source
      ? await putEndpointFile(roundhouse, name, source)
      : { result: await putEndpointNamed(roundhouse, name, flags), findings: [] };
    if (source) sayFindings(findings, source, io);
    if (result === undefined) {
      io.err(`endpoint ${name}: refused, nothing was stored\n`);
      return EXIT.finding;
    }
    io.err(`endpoint ${name}: ${result.created ? 'made' : 'changed'}\n`);
    printResult(result, flags.output, io);
    return EXIT.ok;
  },
});
