import { inspect } from '../../configs/inspect.ts';
import { readResource } from '../../configs/resource.ts';
import { compile } from '../../engine/compile.ts';
import { getOwn } from '../../engine/json.ts';
import { stringifyJson } from '../../k8s/json.ts';
import type { Batch, Judged } from '../input/batch.ts';
import type { Io } from '../io.ts';
import { startProgress } from '../output/progress.ts';
import { type ClusterFlags, openCluster } from './client.ts';
import { at, readDefinition } from './definitions.ts';
import { analyseLive, type LiveReport } from './live-analysis.ts';
import type { Selection } from './live-objects.ts';
import { parseMilliseconds } from './milliseconds.ts';

interface LiveFlags extends ClusterFlags, Selection {
  readonly roundTrip: string;
}

/**
 * Looks at the objects of every config that has no errors. A config without a schema is judged with the cluster's.
 * @returns the batch, and the reports by its configs
 */
export async function analyseBatch({ judged, many }: Batch, flags: LiveFlags, io: Io) {
  const roundTripMs = parseMilliseconds(flags.roundTrip, '--round-trip');
  const { namespace, selector } = flags;
  const cluster = await openCluster(flags, io);
  const reports = new Map<Judged, LiveReport>();
  const all: Judged[] = [];
  const progress = startProgress(io);
  for (const given of judged) {
    const one = given.schema === undefined ? await withSchema(given, cluster) : given;
    all.push(one);
    const { schema, source, analysis, findings } = one;
    const sound = !findings.some(({ diagnostic }) => diagnostic.severity === 'error');
    if (!sound || !schema || !source || !analysis) {
      io.err(`note: ${one.name}: has errors, so the objects of the cluster are not looked at\n`);
      continue;
    }
    const input = { target: schema, router: compile(analysis), spokes: source.spokes };
    const show = (objects: number) => progress.show(`${schema.name}: looked at ${objects} objects`);
    const options = { namespace, selector, roundTripMs, progress: show };
    reports.set(one, await analyseLive(cluster, input, options).finally(progress.end));
  }
  return { batch: { judged: all, many }, reports };
}

async function withSchema(judged: Judged, cluster: Awaited<ReturnType<typeof openCluster>>): Promise<Judged> {
  const { config, texts, kind } = judged;
  if (config === undefined || kind === undefined || texts.config === undefined) return judged;
  const { body } = await readDefinition(cluster, kind, config.target);
  const isIt = (value: Parameters<typeof at>[0] & object) => at(value as never, 'metadata', 'name') === config.name;
  const resource = readResource(texts.config.text, 'config', stringifyJson, (value) => {
    return getOwn(value, 'kind') === `${kind}ConversionConfig` && isIt(value);
  });
  const inspection = await inspect({ config: resource, schema: readResource(body, 'schema', stringifyJson) });
  return { ...judged, ...inspection };
}
