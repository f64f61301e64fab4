import { setTimeout } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Cluster } from './client.ts';
import { blockDifferences, conversionOf } from './conversion-block.ts';
import { askedOf, at, crdNames, type Definition, readCrd } from './definitions.ts';
import { refused, statusText } from './errors.ts';

const MANAGER = 'roundhouse';
const LOOK_MS = 500;

export interface ApplyOptions {
  readonly dryRun: boolean;
  /** Take fields that another manager has. */
  readonly force: boolean;
}

/**
 * Applies the conversion block of a patch to the CRD or XRD, server-side.
 * @throws AppError CONFLICT naming the managers that have these fields
 */
export async function applyConversion(
  cluster: Cluster,
  { source, name, path, body }: Definition,
  conversion: Json,
  { dryRun, force }: ApplyOptions,
): Promise<JsonObject> {
  const { apiVersion = '', kind = '' } = body;
  // The apiserver fills in None at every create, and says that the creator wrote it: no conflict with anybody.
  const isDefault = conversionOf(body).strategy === 'None';
  const query = new URLSearchParams({
    fieldManager: MANAGER,
    force: String(force || isDefault),
    ...(dryRun && { dryRun: 'All' }),
  });
  const reply = await cluster.call(askedOf(source, 'patch', name), `${path}?${query}`, {
    type: 'application/apply-patch+yaml',
    body: { apiVersion, kind, metadata: { name }, spec: { conversion } },
  });
  if (reply.status === 200) return reply.body;
  if (reply.status !== 409) throw refused(cluster, askedOf(source, 'patch', name), reply);
  const hint = 'Another tool manages the conversion of it. Let that one go on, or take it over with --force-conflicts';
  throw new AppError(
    'CONFLICT',
    `cannot change the conversion of ${name}: ${statusText(reply.status, reply.body)}\n  ${hint}`,
  );
}

/** Sets the strategy to None. With `force` whatever another tool wrote of the webhook goes too. */
export async function revertConversion(
  cluster: Cluster,
  definition: Definition,
  { dryRun, force }: ApplyOptions,
): Promise<void> {
  if (!force) return void (await applyConversion(cluster, definition, { strategy: 'None' }, { dryRun, force }));
  const { source, name, path, body } = definition;
  const query = new URLSearchParams({ fieldManager: MANAGER, ...(dryRun && { dryRun: 'All' }) });
  const metadata = { resourceVersion: at(body, 'metadata', 'resourceVersion') ?? '' };
  await cluster.ask(askedOf(source, 'patch', name), `${path}?${query}`, {
    type: 'application/merge-patch+json',
    body: { metadata, spec: { conversion: { strategy: 'None', webhook: null } } },
  });
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
    const crd = await readCrd(cluster, name).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
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
