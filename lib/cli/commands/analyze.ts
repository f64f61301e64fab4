import { AppError } from '../../errors.ts';
import { analyseBatch } from '../cluster/analyse-batch.ts';
import { CLUSTER_FLAGS } from '../cluster/client.ts';
import { hasLiveErrors } from '../cluster/live-analysis.ts';
import { SELECTION_FLAGS } from '../cluster/live-objects.ts';
import { renderLive } from '../cluster/render-live.ts';
import { defineCommand, needing } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { BATCH_FLAGS, BATCH_ONE_OF, type Batch, judgeAll } from '../input/batch.ts';
import { analysisJson, renderAnalysis } from '../output/analysis.ts';
import { failed, printFindings, REPORT_FLAG } from '../output/report.ts';

export const analyze = defineCommand({
  name: 'analyze',
  group: 'Author',
  summary: 'say what a conversion keeps and loses, spoke by spoke',
  description:
    'Every field of every version is accounted for: by a rule, as a copy, or as a finding. The schema is the file that ' +
    '--crd or --xrd names, or one that stands beside the config. Exit code 1 means errors; warnings do not fail.',
  flags: {
    ...BATCH_FLAGS,
    output: { ...REPORT_FLAG, choices: ['table', 'wide', 'json', 'sarif', 'github'] },
    live: { summary: 'also look at every object that a cluster has; its schema counts where none is given' },
    ...needing('live', {
      roundTrip: { value: 'DURATION', default: '20ms', summary: 'with --live: what one call of the webhook takes' },
      ...SELECTION_FLAGS,
      ...CLUSTER_FLAGS,
    }),
  },
  oneOf: BATCH_ONE_OF,
  examples: [
    { what: 'One conversion', command: 'analyze -c config.yaml --crd crd.yaml' },
    { what: 'With the fields that each rule takes', command: 'analyze -c config.yaml --xrd xrd.yaml -o wide' },
    { what: 'With what the objects of a cluster say about it', command: 'analyze -c config.yaml --live' },
    { what: 'A folder, for code scanning', command: 'analyze -f deploy/ -o sarif' },
  ],
  async run({ flags }, io) {
    const given = await judgeAll(flags, io);
    if (!flags.live) requireSchemas(given);
    else if (!/^(table|wide|json)$/.test(flags.output)) {
      throw new AppError('BAD_REQUEST', `--live is printed as table, wide or json, not as ${flags.output}`);
    }
    const { batch, reports } = flags.live ? await analyseBatch(given, flags, io) : { batch: given, reports: new Map() };
    printFindings(batch, flags.output, io, {
      toJson: (judged) => ({ ...analysisJson(judged), ...(reports.has(judged) && { live: reports.get(judged) }) }),
      toHead: (judged) => renderAnalysis(judged, io, { rules: flags.output === 'wide' }),
      toText: (judged) => (reports.has(judged) ? renderLive(reports.get(judged), io) : ''),
    });
    return failed(batch) || [...reports.values()].some(hasLiveErrors) ? EXIT.finding : EXIT.ok;
  },
});

/** @throws AppError for a config that cannot be analysed because nothing gives its schema */
function requireSchemas({ judged }: Batch): void {
  const without = judged.find(({ config, texts }) => config !== undefined && texts.schema === undefined);
  if (!without?.config) return;
  const { source, target } = without.config;
  const flag = source === 'XRD' ? '--xrd' : '--crd';
  const hint = `give it with ${flag}, or put it beside the config`;
  throw new AppError('BAD_REQUEST', `${without.name}: the ${source} ${target} is needed for an analysis: ${hint}`);
}
