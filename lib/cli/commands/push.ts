import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, type Given, readConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import type { Io } from '../io.ts';
import { renderFindings } from '../output/findings.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/printable.ts';
import { renderTable } from '../output/table.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { EXPECT_FLAG } from '../remote/guard.ts';
import { type Pushed, push as pushConversion } from '../remote/push.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const push = defineCommand({
  name: 'push',
  group: 'Roundhouse',
  summary: 'make a config with its CRD or XRD the active revision',
  description:
    'What is active already makes no new revision. A config with errors is refused, and nothing is stored. Every ' +
    'instance has a new revision within 5 seconds.',
  flags: {
    config: CONFIG_FLAG,
    ...SCHEMA_FLAGS,
    dryRun: { summary: 'only show what the analysis of the server finds' },
    expectRevision: EXPECT_FLAG,
    output: { short: 'o', value: 'FORMAT', default: 'table', choices: ['table', 'json'], summary: 'how to print' },
    ...ACCESS_FLAGS,
  },
  oneOf: [{ flags: ['xrd', 'crd'], required: true }, ...ACCESS_ONE_OF],
  examples: [
    { what: 'What the server would say', command: 'push -c config.yaml --crd crd.yaml --dry-run' },
    {
      what: 'Only over the revision that was edited',
      command: 'push -c config.yaml --crd crd.yaml --expect-revision 7',
    },
  ],
  async run({ flags }, io) {
    const given = await readConversion(flags, io);
    const pushed = await pushConversion(() => openRoundhouse(flags, io), given, flags);
    if (flags.output === 'json') printJson(io, report(pushed, flags.dryRun));
    else print(pushed, given, flags.dryRun, io);
    return pushed.result === undefined ? EXIT.finding : EXIT.ok;
  },
});

function report({ target, findings, moreFindings, result, revisionBefore }: Pushed, dryRun: boolean) {
  const { diagnostics: _inFindings, ...facts } = result ?? { diagnostics: [] };
  return {
    ...(target !== undefined && { target }),
    accepted: result !== undefined,
    dryRun,
    ...(revisionBefore !== undefined && { revisionBefore }),
    ...facts,
    diagnostics: findings.map(({ of, diagnostic }) => ({ of, ...diagnostic })),
    ...(moreFindings > 0 && { moreFindings }),
  };
}

function print(pushed: Pushed, given: Given, dryRun: boolean, io: Io): void {
  const { findings, moreFindings, result } = pushed;
  io.out(renderFindings(findings, given.texts, io));
  if (moreFindings > 0) io.out(`and ${moreFindings} more findings\n`);
  if (result && dryRun) {
    const word = (lossless: boolean) => (lossless ? 'lossless' : 'lossy');
    const rows = result.spokes.map(({ version, lossless }) => [
      version,
      word(lossless.hubToSpoke),
      word(lossless.spokeToHub),
    ]);
    io.out(renderTable([['SPOKE', 'HUB→SPOKE', 'SPOKE→HUB'], ...rows]));
  }
  io.out(`${printable(verdict(pushed, dryRun))}\n`);
}

function verdict({ target = 'the config', result, revisionBefore: before }: Pushed, dryRun: boolean): string {
  if (result === undefined) return `${target}: refused, nothing was stored`;
  const { revision, created } = result;
  if (revision === before) return `${target}: unchanged, revision ${revision} is active already`;
  const was = created ? ', its first' : before === undefined ? '' : `, after ${before}`;
  if (dryRun) return `${target}: would become revision ${revision}${was}; nothing was stored`;
  return `${target}: revision ${revision} is active${was}`;
}
