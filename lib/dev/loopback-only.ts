import type { IncomingHttpHeaders } from 'node:http';

/** A page of another site whose name was made to mean this machine is not to reach what runs here. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/**
 * Why a request was not made by a program of this machine; undefined when it was. A web page says where
 * it comes from (`Origin`), or reaches us by a name of its own (`Host`).
 */
export function foreignCaller({ host = '', origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>): string | undefined {
  if (!OWN_HOST.test(host)) return `This server is not ${host.slice(0, 64)}.`;
  return origin === undefined ? undefined : 'This server does not answer web pages.';
}
