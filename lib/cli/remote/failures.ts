import { getOwn, isArray, isObject, type Json } from '../../engine/json.ts';
import { AppError, ERRORS, type ErrorCode, type ErrorDetails } from '../../errors.ts';
import type { Io } from '../io.ts';
import type { Access } from './access.ts';
import type { HttpAnswer } from './http.ts';

/** What can be done about a connection that failed, by Node's code. */
const CONNECTION: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'its name cannot be resolved'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'no way leads there'],
  [/^(ECONNRESET|EPIPE)$/, 'the connection was cut; is it https, or http?'],
  [/^(ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)$/, 'it does not speak TLS; is it http?'],
  [/^HPE_/, 'it does not speak HTTP; is it https?'],
  [/^(ERR_BUFFER_)?TOO_LARGE$/, 'its answer is over 64 MB'],
  [/^Z_/, 'its answer is damaged'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_SIGNATURE_FAILURE)/,
    'its certificate is of a CA that is not trusted. If that is right, name the CA with --ca-file (`npm start -- --tls` prints its file)',
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
];

interface NoAnswerOptions {
  readonly timeoutMs: number;
  readonly env: Io['env'];
}

/**
 * The error of a request that got no answer.
 * @throws the cause itself when it is no trouble of the network, which always has a code
 */
export function noAnswer(cause: unknown, { server }: Access, { timeoutMs, env }: NoAnswerOptions): AppError {
  const code = codeOf(cause);
  if (code === '') throw cause;
  const reason =
    code === 'TIMEOUT'
      ? `no answer within ${timeoutMs / 1000} s; --timeout gives it longer`
      : (CONNECTION.find(([pattern]) => pattern.test(code))?.[1] ?? code);
  return new AppError('UNAVAILABLE', `cannot reach ${server}: ${reason}${proxyNote(env)}`, {}, { cause });
}

/** Node's own client knows proxies since 24.5; an older one goes straight to the server. */
function proxyNote({ HTTPS_PROXY, https_proxy }: Io['env'], version = process.versions.node): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (!(HTTPS_PROXY || https_proxy) || major > 24 || (major === 24 && minor >= 5)) return '';
  return `. HTTPS_PROXY is set, but only Node.js 24.5 or newer uses it, and this is ${version}`;
}

/** Node tries every address of a name, and then throws all their errors as one. */
export function codeOf(cause: unknown): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  return String((first as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** The error of an answer that was a refusal; `body` is its JSON, undefined when it was none. */
export function refusal(
  status: number,
  body: Json | undefined,
  access: Access,
  { 'retry-after': after }: HttpAnswer['headers'] = {},
): AppError {
  const problem = body !== undefined && isObject(body) ? body : {};
  const text = (key: string) => {
    const value = getOwn(problem, key);
    return typeof value === 'string' ? withoutToken(value, access.token) : undefined;
  };
  const detail = text('detail');
  // What AWS answers in our place.
  if (detail === undefined) return foreign(status, text('Message'), access);
  const faults = listOf(getOwn(problem, 'errors'));
  // The detail holds the first one.
  const fields = (faults.length > 1 ? faults : []).map(
    (entry) => `\n  ${withoutToken(`${getOwn(entry, 'pointer')}: ${getOwn(entry, 'detail')}`, access.token)}`,
  );
  const diagnostics = listOf(getOwn(problem, 'diagnostics')) as unknown as ErrorDetails['diagnostics'];
  const code = codeFor(status, text('code'));
  const failure = getOwn(problem, 'failure');
  const fix = isObject(failure) ? getOwn(failure, 'suggested_fix') : undefined;
  const details = {
    ...(diagnostics && diagnostics.length > 0 && { diagnostics }),
    ...(typeof after === 'string' && { headers: { 'retry-after': after } }),
  };
  const hint = hintFor(status, access);
  return new AppError(
    code,
    `${hint ? detail.replace(/\.$/, '') : detail}${fields.join('')}${hint}${typeof fix === 'string' ? `\n  ${withoutToken(fix, access.token)}` : ''}`,
    details,
  );
}

function hintFor(status: number, { tokenFrom }: Access): string {
  const other = '--token-file, ROUNDHOUSE_TOKEN or login give another';
  if (status === 401) return `. The token was taken from ${tokenFrom}; ${other}`;
  if (status === 412) return '. It was changed in the meantime, and nothing was changed now: run the command again';
  if (status === 403) return `. It was taken from ${tokenFrom}; ${other}, which must have that ability`;
  return '';
}

/** Something answered that is not our API: the network of AWS, a proxy, another server. */
export function foreign(status: number, message: string | undefined, { server }: Access): AppError {
  const said = message === undefined ? '' : ` "${message.slice(0, 200)}"`;
  const hint = 'check the address: it is the output ApiUrl of the stack, or what `npm start` prints';
  const reason =
    status >= 300 && status < 400
      ? `${server} redirects (HTTP ${status}): give the address that it leads to; the token was not sent there`
      : status === 413
        ? `${server} takes no request as large as this one (HTTP 413)`
        : status === 429 || status >= 500
          ? `${server} cannot answer now (HTTP ${status}${said}): try again later`
          : `no Roundhouse answers at ${server} (HTTP ${status}${said}): ${hint}`;
  return new AppError('UNAVAILABLE', reason);
}

/** JSON that is not what the API answers. @param path where */
export function unfit(path: readonly PropertyKey[], { server }: Access): AppError {
  const where = path.length === 0 ? 'it' : path.map(String).join('.');
  const hint = 'Check the address, and whether this program is older than the server';
  return new AppError('UNAVAILABLE', `${server} answers what cannot be used: ${where} is not as it should be. ${hint}`);
}

/** A list whose pages do not end. */
export function endless({ server }: Access): AppError {
  return new AppError(
    'UNAVAILABLE',
    `${server} gives the pages of a list without an end: it is at fault, or no Roundhouse`,
  );
}

function codeFor(status: number, code: string | undefined): ErrorCode {
  if (code !== undefined && Object.hasOwn(ERRORS, code)) return code as ErrorCode;
  const known = Object.entries(ERRORS).find(([, entry]) => entry.status === status)?.[0];
  return (known as ErrorCode | undefined) ?? (status < 500 ? 'BAD_REQUEST' : 'UNAVAILABLE');
}

function listOf(value: Json | undefined) {
  return isArray(value) ? value.filter(isObject) : [];
}

/** Text of a server, without the token should the server repeat it. */
function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '…');
}
