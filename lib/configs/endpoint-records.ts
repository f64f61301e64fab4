import * as z from 'zod/mini';
import { matchesLabels } from '../k8s/labels.ts';
import { DEFAULT_ENDPOINT, ENDPOINTS, endpointKey } from '../store/keys.ts';
import type { Attribute, Item, Store } from '../store/ports.ts';
import { type Labels, storedSelector } from './selector.ts';
import type { LabelSelector } from './types.ts';

const tokenShape = z.object({ digest: z.string(), createdAt: z.string(), expiresAt: z.optional(z.string()) });

const endpointShape = z.object({
  name: z.string(),
  version: z.int(),
  /** Unique for each write: tells whose write it was. */
  activation: z.string(),
  selector: z.optional(z.custom<LabelSelector>()),
  /** The current token first; none on a tombstone. */
  tokens: z.array(tokenShape),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** A tombstone: keeps the version number, so that an ETag never comes back. */
  removed: z.optional(z.boolean()),
});

export type EndpointRecord = z.infer<typeof endpointShape>;

export function endpointItem(record: EndpointRecord): Item {
  return { ...endpointKey(record.name), ...(record as unknown as Record<string, Attribute>) };
}

/** Undefined for an item that this code did not write: one that is damaged must not take the others down. */
export function parseEndpointItem(item: Item): EndpointRecord | undefined {
  return endpointShape.safeParse(item).data;
}

/** An endpoint, or its tombstone, as it was read before it is written. */
export type EndpointBefore = EndpointRecord & {
  /** It was damaged and is replaced whatever it holds. */
  readonly damaged?: true;
};

/** The endpoint, or its tombstone. One that is damaged counts as a tombstone, so that putting it again repairs it. */
export async function loadEndpointRecord(store: Store, name: string): Promise<EndpointBefore | undefined> {
  const item = await store.get(endpointKey(name));
  if (item === undefined) return undefined;
  const version = Number.isSafeInteger(item['version']) ? Number(item['version']) : 0;
  const tombstone = { name, version, activation: '', tokens: [], createdAt: '', updatedAt: '', removed: true };
  return parseEndpointItem(item) ?? { ...tombstone, damaged: true };
}

export async function loadEndpoint(store: Store, name: string): Promise<EndpointRecord | undefined> {
  const record = await loadEndpointRecord(store, name);
  return record?.removed ? undefined : record;
}

/** All endpoints, sorted by name: there are few. */
export async function loadEndpoints(store: Store): Promise<EndpointRecord[]> {
  const items = await store.query({ pk: ENDPOINTS });
  return items.map(parseEndpointItem).filter((record) => record !== undefined && !record.removed) as EndpointRecord[];
}

/**
 * Name of the default endpoint. One item says which it is, so there can be no two; a name whose endpoint is gone counts
 * as none.
 */
export async function loadDefaultEndpoint(store: Store): Promise<string | undefined> {
  const item = await store.get(DEFAULT_ENDPOINT);
  const name = item?.['name'];
  return typeof name === 'string' && (await loadEndpoint(store, name)) ? name : undefined;
}

/** Says which configs an endpoint serves: those that match its selector and name it or none. */
export function createConfigFilter(endpoint: {
  readonly name: string;
  readonly selector?: LabelSelector | undefined;
}): (config: { readonly labels: Labels; readonly endpoint?: string | undefined }) => boolean {
  const selector = storedSelector(endpoint.selector);
  return (config) =>
    (config.endpoint === undefined || config.endpoint === endpoint.name) && matchesLabels(selector, config.labels);
}
