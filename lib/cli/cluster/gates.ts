import type { JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Target } from '../../k8s/target.ts';
import type { Cluster } from './client.ts';
import { maskUrl } from './conversion-block.ts';
import {
  at,
  type Crd,
  crdNames,
  type Definition,
  hasCondition,
  objectPath,
  objectsAsked,
  readCrd,
} from './definitions.ts';
import { schemaDrift } from './schema-drift.ts';

export const GATES = ['established', 'config', 'versions', 'schema', 'webhook'] as const;
export type GateName = (typeof GATES)[number];

/** One thing that must hold before an apiserver is pointed at a webhook. */
export interface Gate {
  readonly check: GateName;
  readonly result: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
}

/** What a config was analysed with, and where that was taken from. */
export interface Analysed {
  /** `revision 3 at https://…`, or a file. */
  readonly from: string;
  readonly schema: Target;
  /** Versions that it converts. */
  readonly versions: readonly string[];
  /** What it is for. */
  readonly target: string;
  readonly reviewVersions: readonly string[];
  /** Why it cannot be served. */
  readonly fault?: string;
}

export interface GateInput {
  readonly cluster: Cluster;
  readonly definition: Definition;
  readonly analysed: Analysed | undefined;
  readonly url: string;
  readonly skip: ReadonlySet<string>;
  /** Why the webhook does not answer as it must. */
  readonly askWebhook: (sample: { object: JsonObject | undefined; from: string }) => Promise<string | undefined>;
}

/** How many differences of two schemas are shown. */
const SHOWN = 5;

/** Every gate, all at once; nothing is changed. @throws AppError when the cluster cannot be asked */
export async function checkGates(input: GateInput): Promise<Gate[]> {
  const { cluster, definition, analysed, skip } = input;
  const crds = await readCrds(cluster, definition);
  const gates: Gate[] = [];
  const add = async (check: GateName, look: () => Promise<Gate> | Gate) =>
    gates.push(skip.has(check) ? { check, result: 'skipped', detail: 'as --skip-check says' } : await look());
  await add('established', () => isEstablished(definition, crds));
  await add('config', () => isSound(definition, analysed));
  await add('versions', () => hasPlans(crds, analysed));
  await add('schema', () => isAnalysed(definition, analysed));
  await add('webhook', () => answers(input, crds));
  return gates;
}

/** Those that are there: a missing one is a finding of the first gate. */
async function readCrds(cluster: Cluster, definition: Definition): Promise<(Crd | string)[]> {
  const found = [];
  for (const name of crdNames(definition)) {
    found.push(
      await readCrd(cluster, name).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return name;
        throw error;
      }),
    );
  }
  return found;
}

function isEstablished(definition: Definition, crds: readonly (Crd | string)[]): Gate {
  const check = 'established';
  const all = definition.source === 'XRD' ? [definition, ...crds] : crds;
  for (const each of all) {
    if (typeof each === 'string') return { check, result: 'failed', detail: `Crossplane has not made the CRD ${each}` };
    if (!hasCondition(each.body, 'Established')) {
      const reason =
        at(each.body, 'status', 'conditions') === undefined ? 'it has no conditions yet' : 'see its conditions';
      return { check, result: 'failed', detail: `the ${each.source} ${each.name} is not established: ${reason}` };
    }
  }
  const names = all.map((each) => (typeof each === 'string' ? each : `${each.source} ${each.name}`));
  return { check, result: 'ok', detail: names.join(', ') };
}

const UNKNOWN = 'no config is known: give --config, or take the patch from Roundhouse';

function isSound({ name }: Definition, analysed: Analysed | undefined): Gate {
  const check = 'config';
  if (analysed === undefined) return { check, result: 'skipped', detail: UNKNOWN };
  const { fault, from, target } = analysed;
  if (target !== name) return { check, result: 'failed', detail: `${from} is for ${target}` };
  return { check, result: fault === undefined ? 'ok' : 'failed', detail: fault ?? from };
}

/** What is served can be asked for, and what is stored must be read, at any time. */
function hasPlans(crds: readonly (Crd | string)[], analysed: Analysed | undefined): Gate {
  const check = 'versions';
  if (analysed === undefined) return { check, result: 'skipped', detail: UNKNOWN };
  for (const crd of crds) {
    if (typeof crd === 'string') continue;
    const served = crd.target.versions.filter((version) => version.served).map(({ name }) => name);
    const without = (versions: readonly string[]) => versions.filter((name) => !analysed.versions.includes(name));
    const [stored] = without(crd.storedVersions);
    const [asked] = without(served);
    if (stored !== undefined) {
      const detail = `${crd.name} has objects stored at ${stored}, which no spoke converts`;
      return { check, result: 'failed', detail: `${detail}: add one, or migrate the objects first` };
    }
    if (asked !== undefined) {
      return { check, result: 'failed', detail: `${crd.name} serves ${asked}, which no spoke converts` };
    }
  }
  return { check, result: 'ok', detail: analysed.versions.join(', ') };
}

function isAnalysed({ target }: Definition, analysed: Analysed | undefined): Gate {
  const check = 'schema';
  if (analysed === undefined) return { check, result: 'skipped', detail: UNKNOWN };
  const drift = schemaDrift(analysed.schema, target);
  if (drift.length === 0) return { check, result: 'ok', detail: 'the cluster has the schema that was analysed' };
  const more = drift.length > SHOWN ? ` and ${drift.length - SHOWN} more` : '';
  return {
    check,
    result: 'failed',
    detail: `${drift.slice(0, SHOWN).join('; ')}${more}: push the config with this schema`,
  };
}

async function answers(
  { cluster, url, askWebhook, definition }: GateInput,
  crds: readonly (Crd | string)[],
): Promise<Gate> {
  const check = 'webhook';
  const from = definition.target.versions.find(({ storage }) => storage)?.name ?? '';
  const crd = crds.find((each) => typeof each !== 'string');
  const object = crd && (await firstObject(cluster, crd, from));
  const fault = await askWebhook({ object, from });
  const what = object === undefined ? 'a made-up object' : 'a stored object';
  if (fault === undefined) return { check, result: 'ok', detail: `${maskUrl(url)} converts ${what}` };
  return { check, result: 'failed', detail: `${maskUrl(url)} is asked for ${what}: ${fault}` };
}

/** A stored object, if there is one and it may be read. */
async function firstObject(cluster: Cluster, crd: Crd, version: string): Promise<JsonObject | undefined> {
  const asked = objectsAsked(crd, 'list');
  const { status, body } = await cluster.call(asked, `${objectPath(crd, version)}?limit=1`);
  const items = status === 200 ? at(body, 'items') : undefined;
  return Array.isArray(items) ? (items[0] as JsonObject | undefined) : undefined;
}
