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
