import { randomUUID } from 'node:crypto';
import { isArray, isObject, type JsonObject } from '../../engine/json.ts';
import type { Target } from '../../k8s/target.ts';
import type { Cluster } from './client.ts';
import {
  at,
  type Crd,
  crdNames,
  type Definition,
  findCrd,
  hasCondition,
  objectPath,
  objectsAsked,
  versionsInUse,
} from './definitions.ts';
import { statusText } from './errors.ts';
import { maskUrl, maskUrls } from './mask.ts';
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
  /** Why the webhook does not convert an object to other versions and back as it must. */
  readonly askWebhook: (object: JsonObject, versions: readonly string[]) => Promise<string | undefined>;
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
  for (const name of crdNames(definition)) found.push((await findCrd(cluster, name)) ?? name);
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

/** One object of every CRD: to each version in use and back, as reads and writes need it; with one version as it is. */
async function answers({ cluster, url, askWebhook }: GateInput, crds: readonly (Crd | string)[]): Promise<Gate> {
  const check = 'webhook';
  const asked: string[] = [];
  for (const crd of crds) {
    if (typeof crd === 'string') continue;
    const versions = versionsInUse(crd);
    const from = versions.find((name) => crd.target.versions.some((each) => each.name === name && each.served)) ?? '';
    const others = versions.filter((name) => name !== from);
    const { object, what } = await sampleOf(cluster, crd, from);
    const way = `${what}, ${from} <-> ${others.join(', ') || from}`;
    const fault = await askWebhook(object, others.length > 0 ? others : [from]);
    if (fault !== undefined) {
      return { check, result: 'failed', detail: maskUrls(`${maskUrl(url)} is asked for ${way}: ${fault}`) };
    }
    asked.push(way);
  }
  if (asked.length === 0) return { check, result: 'skipped', detail: 'there is no CRD to ask for' };
  return { check, result: 'ok', detail: `${maskUrl(url)} converts ${asked.join('; ')}` };
}

/** A stored object, or a made-up one where there is none or it cannot be read, and which of them it is. */
async function sampleOf(cluster: Cluster, crd: Crd, version: string): Promise<{ object: JsonObject; what: string }> {
  const { group, kind } = crd.target;
  const { status, body } = await cluster.call(objectsAsked(crd, 'list'), `${objectPath(crd, version)}?limit=1`);
  const items = status === 200 ? at(body, 'items') : undefined;
  const [first] = isArray(items) ? items : [];
  const named = { apiVersion: `${group}/${version}`, kind };
  if (isObject(first)) return { object: { ...first, ...named }, what: `a stored ${kind}` };
  const why = status === 200 ? 'there is none' : `stored ones cannot be read: ${statusText(status, body)}`;
  const metadata = { name: 'convctl-wire', uid: randomUUID() };
  return { object: { ...named, metadata }, what: `a made-up ${kind} (${why})` };
}
