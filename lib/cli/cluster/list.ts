import { getOwn, isArray, isObject, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Cluster, Reply } from './client.ts';
import { type Asked, refused } from './errors.ts';

/** As client-go's pager and kubectl, but less: each object of a page may cost the apiserver a call of a webhook. */
const PAGE = 200;
const MAX_RESTARTS = 5;

interface ListOptions {
  readonly labelSelector?: string | undefined;
}

/**
 * The objects of a path, page by page; none comes twice. A continue token is good for some minutes only: when it has
 * expired the server gives one that goes on from the same place with what is there now, else the list begins again.
 * @throws AppError when a page cannot be had
 */
export async function* listPages(
  cluster: Cluster,
  asked: Asked,
  path: string,
  { labelSelector }: ListOptions = {},
): AsyncGenerator<readonly JsonObject[], void> {
  const seen = new Set<string>();
  let token: string | undefined = '';
  for (let restarts = 0; token !== undefined; ) {
    const reply: Reply = await cluster.call(asked, `${path}?${queryOf(token, labelSelector)}`);
    if (reply.status === 410 && restarts < MAX_RESTARTS) {
      restarts += 1;
      token = continueOf(reply.body) ?? '';
      continue;
    }
    if (reply.status !== 200) throw refused(cluster, asked, reply);
    restarts = 0;
    yield itemsOf(reply.body, asked).filter((item) => isNew(item, seen));
    token = continueOf(reply.body);
  }
}

function queryOf(token: string, labelSelector: string | undefined): URLSearchParams {
  const selector = labelSelector === undefined ? {} : { labelSelector };
  return new URLSearchParams({ limit: String(PAGE), ...selector, ...(token !== '' && { continue: token }) });
}

export async function listAll(...list: Parameters<typeof listPages>): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const page of listPages(...list)) all.push(...page);
  return all;
}

function continueOf(body: JsonObject): string | undefined {
  const metadata = getOwn(body, 'metadata');
  const token = isObject(metadata) ? getOwn(metadata, 'continue') : undefined;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function itemsOf(body: JsonObject, { resource }: Asked): JsonObject[] {
  const items = getOwn(body, 'items');
  if (isArray(items)) return items.filter(isObject);
  throw new AppError('UNAVAILABLE', `the list of ${resource} has no items: is this an apiserver?`);
}

function isNew(item: JsonObject, seen: Set<string>): boolean {
  const key = uidOf(item);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function uidOf({ metadata }: JsonObject): string {
  if (!isObject(metadata)) return '';
  return String(metadata['uid'] ?? `${metadata['namespace'] ?? ''}/${metadata['name']}`);
}
