import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printableLines } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, DEPLOY_ARGUMENT, FACTS_FLAG } from '../common.ts';
import { printFacts } from '../facts.ts';
import { explainEnd } from '../outcome.ts';
import { describeAttempt } from '../views.ts';

export const deploysGet = defineCommand({
  name: 'deploys get',
  group: 'Deploys',
  summary: 'show one deploy: its steps, and why it failed',
  args: { name: APP_ARGUMENT, id: DEPLOY_ARGUMENT },
  flags: { output: FACTS_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'The newest one', command: 'deploys get json-api latest' }],
  async run({ flags, args: { name, id } }, io) {
    const apps = await openApps(flags, io);
    const attempt = await apps.attempt(name, id);
    await printFacts(io, flags.output, attempt, describeAttempt(attempt));
    if (flags.output === 'text' && attempt.failure) io.out(`\n${printableLines(explainEnd(name, attempt))}`);
    return EXIT.ok;
  },
});
