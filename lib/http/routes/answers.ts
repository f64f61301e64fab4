import type { AppRecord } from '../../apps/model.ts';
import { appEtag, renderApp } from '../../apps/views.ts';
import type { Page } from '../../store/paging.ts';
import type { RouteOutput } from '../route.ts';

/** A page as its answer: `{items, next?}`, and the number over all pages in `X-Total-Count`. */
export function answerPage<T>(
  { items, next, total }: Page<T>,
  render: (item: T) => unknown = (item) => item,
): RouteOutput {
  return {
    headers: { 'x-total-count': String(total) },
    body: { items: items.map(render), ...(next !== undefined && { next }) },
  };
}

/** A record with its ETag, ready for a later `If-Match`. */
export function answerTagged(body: unknown, etag: string | undefined, status = 200): RouteOutput {
  return { status, headers: etag === undefined ? {} : { etag }, body };
}

/** A bare array, as clients of the peer read it, with how many there are over all pages. */
export function answerList(
  items: readonly unknown[],
  total = items.length,
  headers: RouteOutput['headers'] = {},
): RouteOutput {
  return { headers: { 'x-total-count': String(total), ...headers }, body: items };
}

/** Where the next page is (RFC 8288), relative to the server. */
export function linkNext(path: string, query: Readonly<Record<string, string | number | undefined>>) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return { link: `<${path}?${given}>; rel="next"` };
}

/** An app as it is stored now, with its ETag. */
export function answerApp(app: AppRecord, status = 200): RouteOutput {
  return answerTagged(renderApp(app), appEtag(app), status);
}
