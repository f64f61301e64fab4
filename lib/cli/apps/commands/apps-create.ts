import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printJson } from '../../output/json.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { RESULT_FLAG, tellWarnings } from '../common.ts';
import { readSettings, SETTINGS_FLAGS } from '../settings.ts';

export const appsCreate = defineCommand({
  name: 'apps create',
  group: 'Apps',
  summary: 'make an app; with an image of ECR it is deployed at once',
  description: 'What the flags say goes before what the file says.',
  args: { name: { summary: 'lower-case letters, digits and "-", the first a letter: at most 32', required: true } },
  flags: { ...SETTINGS_FLAGS, output: RESULT_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'Code comes later', command: 'apps create json-api --memory 256MB --health-path /healthz' },
    { what: 'As a file has it, with one variable more', command: 'apps create json-api -f app.json --env GREETING=Hi' },
  ],
  async run({ flags, args: { name } }, io) {
    const settings = await readSettings(name, flags, io);
    const apps = await openApps(flags, io);
    const app = await apps.create(settings);
    tellWarnings(app, io);
    if (flags.output === 'json') printJson(io, app);
    else io.out(`${printable(`${app.name}: made; ${app.state.reason}`)}\n`);
    return EXIT.ok;
  },
});
