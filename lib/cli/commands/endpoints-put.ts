import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { readSource } from '../input/files.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { printResult, putEndpointFile, putEndpointNamed, sayFindings } from '../remote/endpoints.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';
import { TOKEN_OUT_FLAG } from '../remote/token-file.ts';

export const endpointsPut = defineCommand({
  name: 'endpoints put',
  group: 'Roundhouse',
  summary: 'make an endpoint, or change it',
  description:
    'A new endpoint has a path token: it is printed on standard output, this once, or ' +
    'written to --token-out. Without a file an endpoint that is ' +
    'there keeps its selector, and stays the default if it is.',
  args: { name: { summary: 'the endpoint', required: true } },
  flags: {
    file: { short: 'f', value: 'FILE', summary: 'the ConversionWebhookServer that it should be; - for standard input' },
    default: { summary: 'make it the one of configs that name none' },
    tokenOut: TOKEN_OUT_FLAG,
    output: { short: 'o', value: 'FORMAT', default: 'text', choices: ['text', 'json'], summary: 'how to print' },
    ...ACCESS_FLAGS,
  },
  oneOf: [{ flags: ['file', 'default'] }, ...ACCESS_ONE_OF],
  examples: [
    {
      what: 'A first endpoint; its token goes into a file that only you can read',
      command: 'endpoints put prod --default --token-out token',
    },
    { what: 'With a selector', command: 'endpoints put payments -f endpoint.yaml' },
  ],
  async run({ flags, args: { name } }, io) {
    const { file } = flags;
    const source = file === undefined ? undefined : await readSource(file, 'endpoint', io);
    const roundhouse = await openRoundhouse(flags, io);
    const put = async () => {
      const { result, findings } = source
        ? await putEndpointFile(roundhouse, name, source)
        : { result: await putEndpointNamed(roundhouse, name, flags), findings: [] };
      if (source) sayFindings(findings, source, io);
      const verdict = result === undefined ? 'refused, nothing was stored' : result.created ? 'made' : 'changed';
      io.err(`endpoint ${name}: ${verdict}\n`);
      return result;
    };
    return (await printResult(put, flags, io)) ? EXIT.ok : EXIT.finding;
  },
});
