import { setTimeout } from 'node:timers/promises';
import { isArray, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { CallOptions, Cluster } from './client.ts';
import { blockDifferences, conversionOf } from './conversion-block.ts';
import { askedOf, at, crdNames, type Definition, findCrd, isSameSpec, readDefinition } from './definitions.ts';
import { refused, statusText } from './errors.ts';

const MANAGER = 'roundhouse';
const LOOK_MS = 500;
const TRIES = 5;

export interface ApplyOptions {
  readonly dryRun: boolean;
  /** Take fields that another manager has. */
  readonly force: boolean;
}

/**
 * Applies the conversion block of a patch to the CRD or XRD, server-side, if that is still as it was read.
 * @throws AppError CONFLICT naming the managers that have these fields, or when it has changed
 */
export async function applyConversion(
  cluster: Cluster,
  definition: Definition,
  conversion: Json,
  { dryRun, force }: ApplyOptions,
): Promise<JsonObject> {
  const { apiVersion = '', kind = '' } = definition.body;
  const query = new URLSearchParams({
    fieldManager: MANAGER,
    force: String(force || isUnwired(definition)),
    ...(dryRun && { dryRun: 'All' }),
  });
  return await change(cluster, definition, query, (resourceVersion) => ({
    type: 'application/apply-patch+yaml',
    body: { apiVersion, kind, metadata: { name: definition.name, resourceVersion }, spec: { conversion } },
  }));
}

/** The apiserver fills in None at every create, and says that the creator wrote it: no conflict with anybody. */
function isUnwired({ body }: Definition): boolean {
  return conversionOf(body).strategy === 'None';
}

/** Whose `strategy: None` an apply takes, if it may be meant. */
export function managersOfNone(definition: Definition): string[] {
  const entries = at(definition.body, 'metadata', 'managedFields');
  if (!isUnwired(definition) || !isArray(entries)) return [];
  const owners = entries.filter((entry) => at(entry, 'fieldsV1', 'f:spec', 'f:conversion') !== undefined);
  const names = owners.map((entry) => String(at(entry, 'manager')));
  return [...new Set(names)].filter((name) => name !== MANAGER);
}

/** Sets the strategy to None. With `force` whatever another tool wrote of the webhook goes too. */
export async function revertConversion(
  cluster: Cluster,
  definition: Definition,
  { dryRun, force }: ApplyOptions,
): Promise<void> {
  if (!force) return void (await applyConversion(cluster, definition, { strategy: 'None' }, { dryRun, force }));
  const query = new URLSearchParams({ fieldManager: MANAGER, ...(dryRun && { dryRun: 'All' }) });
  await change(cluster, definition, query, (resourceVersion) => ({
    type: 'application/merge-patch+json',
    body: { metadata: { resourceVersion }, spec: { conversion: { strategy: 'None', webhook: null } } },
  }));
}

/** One patch of a definition at the version that was read; at a later one only if nothing but its status has changed. */
async function change(
  cluster: Cluster,
  { source, name, path, body }: Definition,
  query: URLSearchParams,
  patchOf: (resourceVersion: Json) => CallOptions,
): Promise<JsonObject> {
  const asked = askedOf(source, 'patch', name);
  for (let tries = 1, current = body; ; tries++) {
    const version = at(current, 'metadata', 'resourceVersion') ?? '';
    const reply = await cluster.call(asked, `${path}?${query}`, patchOf(version));
    if (reply.status === 200) return reply.body;
    if (reply.status === 409 && isOwned(reply.body)) {
      const hint =
        'Another tool manages the conversion of it. Let that one go on, or take it over with --force-conflicts';
      const said = statusText(reply.status, reply.body);
      throw new AppError('CONFLICT', `cannot change the conversion of ${name}: ${said}\n  ${hint}`);
    }
    current = reply.status === 409 ? (await readDefinition(cluster, source, name)).body : current;
    if (reply.status !== 409 || tries === TRIES || !isSameSpec(current, body)) throw refused(cluster, asked, reply);
  }
}

function isOwned(status: JsonObject): boolean {
  const causes = at(status, 'details', 'causes');
  return (isArray(causes) ? causes : []).some((cause) => at(cause, 'reason') === 'FieldManagerConflict');
}

export interface WiredCrd {
  readonly name: string;
  readonly wired: boolean;
  readonly differences?: readonly string[];
}

/** Waits until Crossplane has passed the conversion of an XRD on to its CRDs; a CRD has it at once (R53). */
export async function waitForCrds(cluster: Cluster, applied: Definition, waitMs: number): Promise<WiredCrd[]> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const crds = await compareCrds(cluster, applied);
    if (waited >= waitMs || crds.every(({ wired }) => wired)) return crds;
    await setTimeout(LOOK_MS);
  }
}

/** Whether each CRD of an XRD has the conversion that the XRD has. */
export async function compareCrds(cluster: Cluster, definition: Definition): Promise<WiredCrd[]> {
  const wanted = conversionOf(definition.body);
  const crds: WiredCrd[] = [];
  for (const name of crdNames(definition)) {
    const crd = await findCrd(cluster, name);
    const differences = crd ? blockDifferences(wanted, conversionOf(crd.body)) : ['Crossplane has not made it'];
    crds.push({ name, wired: differences.length === 0, ...(differences.length > 0 && { differences }) });
  }
  return crds;
}

/** The conversion block of a patch, and the URL in it. @throws AppError when it has none */
export function blockOf(patch: JsonObject): { readonly conversion: JsonObject; readonly url: string } {
  const conversion = at(patch, 'spec', 'conversion');
  const url = at(conversion, 'webhook', 'clientConfig', 'url');
  if (isObject(conversion) && typeof url === 'string') return { conversion, url };
  throw new AppError('UNPROCESSABLE', 'the patch of Roundhouse has no URL of a webhook');
}
