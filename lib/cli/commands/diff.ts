import { AppError } from '../../errors.ts';
import { CLUSTER_FLAGS, type ClusterFlags, openCluster } from '../cluster/client.ts';
import { defineCommand, needing } from '../command.ts';
import { type ComparedConfig, compareConfigs } from '../conformance/compare.ts';
import { renderDelta } from '../conformance/render-delta.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, type Given, readConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import type { Io } from '../io.ts';
import { renderFindings } from '../output/findings.ts';
import { printJson } from '../output/json.ts';

export const diff = defineCommand({
  name: 'diff',
  group: 'Test',
  summary: 'compare what two configs of the same target convert and lose',
  description:
    'The order of rules does not count, nor do comments and reasons. Exit code 0 means that the two convert alike, 1 ' +
    'that they do not.',
  flags: {
    config: { ...CONFIG_FLAG, repeat: true, summary: 'a config; given twice: before and after; once with --live' },
    ...SCHEMA_FLAGS,
    live: { summary: 'before is the config of this name in a cluster, and the schema is the one there' },
    ...needing('live', CLUSTER_FLAGS),
    output: { short: 'o', value: 'FORMAT', default: 'json', choices: ['json', 'table'], summary: 'how to print' },
  },
  oneOf: [{ flags: ['xrd', 'crd', 'live'], required: true }],
  examples: [
    { what: 'Two configs', command: 'diff -c before.yaml -c after.yaml --crd crd.yaml -o table' },
    { what: 'What an apply would change', command: 'diff -c config.yaml --live -o table' },
  ],
  async run({ flags }, io) {
    const { from, to, schema } = flags.live ? await livePair(flags, io) : await filePair(flags, io);
    const { source, name } = schema;
    const delta = { resourceKind: source, resource: name, from: from.label, to: to.label, ...compareConfigs(from, to) };
    if (flags.output === 'json') printJson(io, delta);
    else io.out(renderDelta(delta, io));
    return delta.hasDeltas ? EXIT.finding : EXIT.ok;
  },
});

interface DiffFlags extends ClusterFlags {
  readonly config: readonly string[];
  readonly xrd?: string | undefined;
  readonly crd?: string | undefined;
}

async function livePair(flags: DiffFlags, io: Io) {
  const { readLivePair } = await import('../cluster/diff-live.ts');
  const [config, more] = flags.config;
  if (config !== undefined && more === undefined) return readLivePair(await openCluster(flags, io), config, io);
  throw new AppError('BAD_REQUEST', `--config is given ${flags.config.length} times: give it once with --live`);
}

async function filePair(flags: DiffFlags, io: Io) {
  const [before, after, more] = flags.config;
  if (before === undefined || after === undefined || more !== undefined) {
    throw new AppError('BAD_REQUEST', `--config is given ${flags.config.length} times: give it twice`);
  }
  const [from, to] = [await load(before, flags, io), await load(after, flags, io)];
  return { from, to, schema: to.schema };
}

/** Errors that the analysis finds are part of what is compared; a config with others is refused. */
async function load(
  config: string,
  { xrd, crd }: DiffFlags,
  io: Io,
): Promise<ComparedConfig & Pick<Required<Given>, 'schema'>> {
  const { analysis, source, schema, findings, texts } = await readConversion({ config, xrd, crd }, io);
  const known = new Set(analysis?.diagnostics.map(({ code }) => code));
  const broken = findings.filter(({ diagnostic }) => diagnostic.severity === 'error' && !known.has(diagnostic.code));
  const label = texts.config?.name ?? config;
  if (analysis && source && schema && broken.length === 0) return { label, analysis, spokes: source.spokes, schema };
  throw new AppError('CONFIG_INVALID', `${config} cannot be compared\n${renderFindings(broken, texts, io).trimEnd()}`);
}
