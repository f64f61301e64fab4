import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printJson } from '../../output/json.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, DEPLOY_ARGUMENT, RESULT_FLAG } from '../common.ts';

export const deploysCancel = defineCommand({
  name: 'deploys cancel',
  group: 'Deploys',
  summary: 'break a deploy off; the release that is live serves on',
  description: 'It is refused once traffic has begun to move.',
  args: { name: APP_ARGUMENT, id: DEPLOY_ARGUMENT },
  flags: { output: RESULT_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'The newest one', command: 'deploys cancel json-api latest' }],
  async run({ flags, args: { name, id } }, io) {
    const apps = await openApps(flags, io);
    const attempt = await apps.cancel(name, id);
    const said = attempt.status === 'canceled' ? 'is canceled' : 'ends at its next step';
    if (flags.output === 'json') printJson(io, attempt);
    else io.out(`${printable(`${name}: ${attempt.id} ${said}`)}\n`);
    return EXIT.ok;
  },
});
