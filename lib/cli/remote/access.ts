import { AppError } from '../../errors.ts';
import type { Flag } from '../command.ts';
import { readSource } from '../input/files.ts';
import type { Io } from '../io.ts';
import { type Context, contextCalled, contextFile, contextNames, loadContexts } from './contexts.ts';

/** The flags of every command that speaks to a Roundhouse. */
export const ACCESS_FLAGS = {
  server: { value: 'URL', summary: 'the address of the API (else ROUNDHOUSE_URL, else the context)' },
  tokenFile: { value: 'FILE', summary: 'a file with the bearer token (else ROUNDHOUSE_TOKEN, else the context)' },
  token: { value: '-', summary: 'only -: the bearer token comes from standard input' },
  caFile: { value: 'FILE', summary: 'the CA to trust, PEM (else ROUNDHOUSE_CA_FILE, else the context)' },
  context: { value: 'NAME', summary: 'a context that login made; else the current one', complete: contextNames },
  timeout: { value: 'DURATION', default: '60s', summary: 'how long one request may take' },
} as const satisfies Record<string, Flag>;
export const ACCESS_ONE_OF = [{ flags: ['tokenFile', 'token'] }] as const;

export interface AccessFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly token?: string | undefined;
  readonly caFile?: string | undefined;
  readonly context?: string | undefined;
  readonly timeout: string;
}

/** How a Roundhouse is reached, and by whom. */
export interface Access {
  /** Without a slash at the end, and without `/api/v1`. */
  readonly server: string;
  readonly token: string;
  /** Where the token was taken from, for messages. */
  readonly tokenFrom: string;
  /** PEM. */
  readonly ca?: string;
}

/** One place that can say some of it. Values are read when it is their turn, so that one which is not needed cannot fail. */
interface Source {
  /** How messages call the place of its address. */
  readonly name: string;
  readonly server?: string | undefined;
  readonly token?: { readonly from: string; readonly read: () => Promise<string> } | undefined;
  readonly ca?: (() => Promise<string>) | undefined;
}

/**
 * Address and token from the flags, the context of `--context`, the environment, and the current context, in this order.
 * A token that stands beside an address is sent to that address only.
 * @throws AppError that says what is missing, and never holds a token
 */
export async function resolveAccess(flags: AccessFlags, io: Io): Promise<Access> {
  const explicit = await explicitSources(flags, io);
  // The file of contexts is read only where it is needed: it may be damaged, or not there to be read.
  const found = pick(explicit);
  const { server, token, ca } = found?.token ? found : (pick([...explicit, ...(await currentSource(io))]) ?? {});
  if (server === undefined) {
    throw new AppError('BAD_REQUEST', 'which Roundhouse? Give --server URL, set ROUNDHOUSE_URL, or log in');
  }
  if (token === undefined) throw noToken(server, explicit);
  const pem = await ca?.();
  return { server, token: checkToken(await token.read(), token.from), tokenFrom: token.from, ...(pem && { ca: pem }) };
}

function pick(sources: readonly Source[]) {
  const { server: given, name } = sources.find(({ server }) => server !== undefined) ?? {};
  if (given === undefined || name === undefined) return undefined;
  const server = parseServer(given, name);
  const fitting = sources.filter((source) => source.server === undefined || isSame(source.server, server));
  const token = fitting.find((source) => source.token !== undefined)?.token;
  return { server, token, ca: fitting.find((source) => source.ca !== undefined)?.ca };
}

async function explicitSources(flags: AccessFlags, io: Io): Promise<Source[]> {
  const fromFlags: Source = {
    name: '--server',
    server: flags.server,
    token: tokenOfFlags(flags, io),
    ca: flags.caFile === undefined ? undefined : readCa(flags.caFile, io),
  };
  if (flags.context === undefined) return [fromFlags, environment(io)];
  const named = contextCalled(flags.context, await loadContexts(io));
  return [fromFlags, sourceOf(flags.context, named, io), environment(io)];
}

function environment(io: Io): Source {
  const { ROUNDHOUSE_URL: server, ROUNDHOUSE_TOKEN: token, ROUNDHOUSE_CA_FILE: caFile } = io.env;
  return {
    name: 'ROUNDHOUSE_URL',
    server: server || undefined,
    token: token ? { from: 'ROUNDHOUSE_TOKEN', read: async () => token } : undefined,
    ca: caFile ? readCa(caFile, io) : undefined,
  };
}

async function currentSource(io: Io): Promise<Source[]> {
  const file = await loadContexts(io);
  return file.current === undefined ? [] : [sourceOf(file.current, contextCalled(file.current, file), io)];
}

function sourceOf(name: string, { server, token, ca }: Context, { env }: Io): Source {
  return {
    name: `context ${name}`,
    server,
    token: { from: `context ${name} (${contextFile(env)})`, read: async () => token },
    ca: ca === undefined ? undefined : async () => ca,
  };
}

/** The token that the flags name. @throws AppError when it stands on the command line itself */
function tokenOfFlags({ token, tokenFile }: Pick<AccessFlags, 'token' | 'tokenFile'>, io: Io): Source['token'] {
  if (token !== undefined && token !== '-') {
    const reason = 'a token on the command line stays in the history of the shell, and everybody sees it in `ps`';
    throw new AppError('BAD_REQUEST', `--token takes only -, which reads it from standard input: ${reason}`);
  }
  const path = token ?? tokenFile;
  if (path === undefined) return undefined;
  const from = path === '-' ? 'standard input' : path;
  return { from, read: async () => (await readSource(path, 'token file', io)).text };
}

function readCa(path: string, io: Io): () => Promise<string> {
  return async () => {
    const { text } = await readSource(path, 'CA file', io);
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
    throw new AppError('BAD_REQUEST', `the CA file ${path} holds no certificate (PEM)`);
  };
}

/** @throws AppError BAD_REQUEST */
export function checkToken(text: string, from: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const fault = token === '' ? 'is empty' : 'holds more than one word of printable ASCII';
  throw new AppError('BAD_REQUEST', `the token from ${from} ${fault}`);
}

/** @param from how messages call the place of the address @throws AppError BAD_REQUEST, without the address: it may hold a secret */
function parseServer(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AppError('BAD_REQUEST', `${from} is no address such as https://roundhouse.example.org`);
  }
  if (url.username + url.password + url.search + url.hash !== '') {
    throw new AppError('BAD_REQUEST', `${from} has a user, a query or a fragment: an address has none of them`);
  }
  if (url.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) {
    const reason = 'the token would cross the network for everybody to read';
    throw new AppError('BAD_REQUEST', `${from} must be https, ${url.origin} is not: ${reason}`);
  }
  return baseOf(url);
}

function baseOf({ href }: URL): string {
  return href.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '');
}

function isSame(given: string, server: string): boolean {
  return URL.canParse(given) && baseOf(new URL(given)) === server;
}

function noToken(server: string, sources: readonly Source[]): AppError {
  const paired = sources.find((source) => source.token !== undefined && source.server !== undefined);
  const unfit = paired?.token ? `: the one from ${paired.token.from} is for another address` : '';
  const ways = 'Give --token-file FILE or --token - (standard input), set ROUNDHOUSE_TOKEN, or log in';
  return new AppError('UNAUTHORIZED', `there is no token for ${server}${unfit}. ${ways}`);
}
