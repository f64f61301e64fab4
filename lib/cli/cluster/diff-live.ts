import { inspect } from '../../configs/inspect.ts';
import { type Resource, readResource } from '../../configs/resource.ts';
import { getOwn, isArray, isObject, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { stringifyJson } from '../../k8s/json.ts';
import type { Target } from '../../k8s/target.ts';
import type { ComparedConfig } from '../conformance/compare.ts';
import { readSource } from '../input/files.ts';
import type { Io } from '../io.ts';
import type { Cluster } from './client.ts';
import { at, readDefinition } from './definitions.ts';
import { refused } from './errors.ts';

const GROUP = 'terasky.com';
const PLURALS: Readonly<Record<string, string>> = {
  CRDConversionConfig: 'crdconversionconfigs',
  XRDConversionConfig: 'xrdconversionconfigs',
};

export interface LivePair {
  readonly from: ComparedConfig;
  readonly to: ComparedConfig;
  readonly schema: Target;
}

/**
 * A config in a file, and the one of the same name in a cluster, both analysed with the schema of the cluster. When the
 * cluster has none it counts as one with the same spokes and no rules.
 * @throws AppError
 */
export async function readLivePair(cluster: Cluster, config: string, io: Io): Promise<LivePair> {
  const { text } = await readSource(config, 'config', io);
  const isConfig = (value: JsonObject) => Object.hasOwn(PLURALS, String(getOwn(value, 'kind')));
  const { value: resource, diagnostics } = readResource(text, 'config', stringifyJson, isConfig);
  if (resource === undefined) throw new AppError('BAD_REQUEST', `${config}: ${diagnostics[0]?.message}`);
  const kind = String(getOwn(resource.value, 'kind'));
  const source = kind === 'XRDConversionConfig' ? 'XRD' : 'CRD';
  const target = at(resource.value, 'spec', `target${source}`, 'name');
  const name = at(resource.value, 'metadata', 'name');
  if (typeof target !== 'string' || typeof name !== 'string' || PLURALS[kind] === undefined) {
    throw new AppError(
      'BAD_REQUEST',
      `${config} is no CRDConversionConfig or XRDConversionConfig with a name and a target`,
    );
  }
  const { body, target: schema } = await readDefinition(cluster, source, target);
  const found = await readConfig(cluster, PLURALS[kind], name);
  const other = found ?? withoutRules(resource.value);
  const label = found === undefined ? `cluster:(no ${kind} ${name})` : `cluster:${name}`;
  return {
    from: await analyseOne(label, toResource(other), body),
    to: await analyseOne(config, resource, body),
    schema,
  };
}

/** Undefined when there is none, or the cluster knows no such kind. */
async function readConfig(cluster: Cluster, plural: string, name: string): Promise<JsonObject | undefined> {
  const asked = { verb: 'get', resource: `${plural}.${GROUP}`, name } as const;
  const reply = await cluster.call(asked, `/apis/${GROUP}/v1alpha1/${plural}/${name}`);
  if (reply.status === 404) return undefined;
  if (reply.status !== 200) throw refused(cluster, asked, reply);
  return reply.body;
}

function withoutRules(config: JsonObject): JsonObject {
  const spec = getOwn(config, 'spec');
  const spokes = at(spec, 'spokes');
  if (!isObject(spec) || !isArray(spokes)) return config;
  return {
    ...config,
    spec: { ...spec, spokes: spokes.map((spoke) => (isObject(spoke) ? { ...spoke, rules: [] } : spoke)) },
  };
}

function toResource(value: JsonObject): Resource {
  return { value, text: '', lineOf: () => undefined };
}

async function analyseOne(label: string, config: Resource, schema: JsonObject): Promise<ComparedConfig> {
  const documents = {
    config: { value: config, diagnostics: [] },
    schema: { value: toResource(schema), diagnostics: [] },
  };
  const { analysis, source, findings } = await inspect(documents);
  if (analysis && source) return { label, analysis, spokes: source.spokes };
  const broken = findings.find(({ diagnostic }) => diagnostic.severity === 'error');
  throw new AppError('CONFIG_INVALID', `${label} cannot be compared: ${broken?.diagnostic.message}`);
}
