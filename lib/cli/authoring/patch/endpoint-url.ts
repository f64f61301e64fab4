import { AppError } from '../../../errors.ts';
import type { Flag } from '../../command.ts';
import { readSource } from '../../input/files.ts';
import type { Io } from '../../io.ts';
import { checkToken } from '../../remote/access.ts';

export const PATH_TOKEN_FLAG = {
  value: 'FILE',
  summary: "the endpoint's path token, - for stdin (else ROUNDHOUSE_PATH_TOKEN)",
} as const satisfies Flag;

/** The path token of an endpoint, if one is given. @throws AppError, which never holds it */
export async function readPathToken(path: string | undefined, io: Io): Promise<string | undefined> {
  const { ROUNDHOUSE_PATH_TOKEN: ofEnv } = io.env;
  if (path !== undefined) return checkToken((await readSource(path, 'path token', io)).text, path);
  return ofEnv ? checkToken(ofEnv, 'ROUNDHOUSE_PATH_TOKEN') : undefined;
}

interface EndpointUrl {
  /** Without a slash at the end. */
  readonly href: string;
  /** What follows `/convert/`: endpoint, token and target, if it is a URL of Roundhouse. */
  readonly parts: readonly string[];
}

/** What `--url` says. The error does not repeat it: it may have a token in it. @throws AppError for one that no apiserver calls */
export function parseEndpointUrl(text: string): EndpointUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username + url.password !== '' || /[?#]/.test(text)) {
    const rule = 'an apiserver calls only https:// URLs without user info, query or fragment';
    throw new AppError('BAD_REQUEST', `--url cannot be used: ${rule}`);
  }
  const href = url.href.replace(/\/+$/, '');
  const [, path = ''] = /^.*\/convert\/((?:[^/]+\/){0,2}[^/]+)$/.exec(href) ?? [];
  return { href, parts: path === '' ? [] : path.split('/') };
}

/** The URL of a target at an endpoint: `https://HOST/convert/ENDPOINT` with its token. */
export function withToken({ href }: EndpointUrl, token: string, target: string): string {
  return `${href}/${encodeURIComponent(token)}/${target}`;
}
