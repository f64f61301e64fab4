import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { printJson } from '../output/json.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { EXPECT_FLAG, parseRevision } from '../remote/guard.ts';
import { previewRollback, rollback as rollBackConfig } from '../remote/rollback.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const rollback = defineCommand({
  name: 'rollback',
  group: 'Roundhouse',
  summary: 'make an older revision the active one again',
  description: 'No new revision is made: the old one becomes active again, if it still compiles.',
  args: { target: { summary: 'the name of the CRD or XRD', required: true } },
  flags: {
    to: { value: 'N', required: true, summary: 'the revision to go back to' },
    dryRun: { summary: 'only show how the sources of the two revisions differ' },
    expectRevision: EXPECT_FLAG,
    output: { short: 'o', value: 'FORMAT', default: 'table', choices: ['table', 'json'], summary: 'how to print' },
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'What would change', command: 'rollback databases.data.example.org --to 3 --dry-run' },
    { what: 'Do it', command: 'rollback databases.data.example.org --to 3' },
  ],
  async run({ flags: { to, dryRun, expectRevision, output, ...access }, args: { target } }, io) {
    const plan = { target, to: parseRevision(to, '--to'), expectRevision };
    const roundhouse = await openRoundhouse(access, io);
    if (dryRun) {
      const { from, diff } = await previewRollback(roundhouse, plan);
      if (output === 'json') printJson(io, { target, from, to: plan.to, dryRun, diff });
      else io.out(diff);
      io.err(`${target}: would go from revision ${from} to ${plan.to}; nothing was changed\n`);
      return EXIT.ok;
    }
    const { active, revisionBefore: before } = await rollBackConfig(roundhouse, plan);
    if (output === 'json') printJson(io, { ...(before !== undefined && { revisionBefore: before }), ...active });
    else if (before === plan.to) io.out(`${target}: unchanged, revision ${plan.to} is active already\n`);
    else io.out(`${target}: revision ${plan.to} is active again${before === undefined ? '' : `, after ${before}`}\n`);
    return EXIT.ok;
  },
});
