import { getOwn, isArray, isObject, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Cluster, Reply } from './client.ts';
import { type Asked, refused } from './errors.ts';

/** As client-go's pager and kubectl, but less: each object of a page may cost the apiserver a call of a webhook. */
const PAGE = 200;
/** How often one page may be asked for again, and how often the whole list may begin again. */
const TRIES = 5;

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
  for (let [resumes, restarts] = [0, 0]; token !== undefined; ) {
    const reply: Reply = await cluster.call(asked, `${path}?${queryOf(token, labelSelector)}`);
    if (reply.status === 410 && resumes < TRIES && restarts < TRIES) {
      token = continueOf(reply.body) ?? '';
      if (token === '') restarts += 1;
      else resumes += 1;
      continue;
    }
    if (reply.status !== 200) throw refused(cluster, asked, reply);
    // Pages come to an end, so that this may begin anew with each; a list that began again does not.
    resumes = 0;
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
