import { getOwn, type JsonObject } from '../../engine/json.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { maskUrls } from './mask.ts';
import { renderMilliseconds } from './milliseconds.ts';

/** What is asked of an apiserver, in the words of its permissions. */
export interface Asked {
  readonly verb: 'get' | 'list' | 'update' | 'patch';
  /** `widgets.example.org`, or `customresourcedefinitions.apiextensions.k8s.io/status`. */
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface Where {
  readonly context: string;
  readonly server: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up at the moment',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
  ETIMEDOUT: 'the connection could not be made in time',
};

function renderAsked({ verb, resource, name, namespace }: Asked): string {
  const place = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `${verb} ${resource}${name === undefined ? '' : ` ${name}`}${place}`;
}

/** The error of a request that got no answer. Never holds what was sent. */
export function noAnswer(where: Where, asked: Asked, cause: Error, timeoutMs: number): AppError {
  if (cause instanceof AppError) return describe('UNAUTHORIZED', where, asked, cause.message, HINTS.UNAUTHORIZED);
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  if (cause.name === 'TimeoutError' || cause.name === 'AbortError') {
    const message = `the cluster gave no answer within ${renderMilliseconds(timeoutMs)}`;
    return describe('UNAVAILABLE', where, asked, message, 'try again, or wait longer with --request-timeout');
  }
  if (/CERT|SIGNATURE|SELF_SIGNED|ALTNAME|SSL/.test(code)) {
    const hint = 'check certificate-authority, tls-server-name and the client certificate of the kubeconfig';
    return describe('UNAVAILABLE', where, asked, `the TLS connection failed: ${cause.message}`, hint);
  }
  if (code === 'TOO_LARGE') {
    return describe('UNAVAILABLE', where, asked, 'the answer is over 64 MB', 'is that an apiserver?');
  }
  const reason = REASONS[code] ?? cause.message;
  const hint = 'check the server and the proxy of the context, and that the network reaches it';
  return describe('UNAVAILABLE', where, asked, `the cluster cannot be reached: ${reason}`, hint);
}

/** The error of an answer that is no JSON of an apiserver. */
export function wrongAnswer(where: Where, asked: Asked, status: number): AppError {
  const hint = 'something else than an apiserver answers there: a proxy, or a page to log in';
  return describe('UNAVAILABLE', where, asked, `the answer, HTTP ${status}, is no JSON`, hint);
}

const HINTS = {
  UNAUTHORIZED: 'log in again, or check the user of the context in the kubeconfig',
  NOT_FOUND: 'check its name and the context',
  CONFLICT: 'it changed in the meantime: run the command again',
  UNPROCESSABLE: 'the apiserver refuses what it was sent',
  UNAVAILABLE: 'try again; if it stays, look at the logs of the apiserver',
} satisfies Partial<Record<ErrorCode, string>>;

/** The error of an answer that is not 2xx, with the text of its Status. */
export function refused(where: Where, asked: Asked, { status, body }: { status: number; body: JsonObject }): AppError {
  const text = statusText(status, body);
  if (status === 403) return describe('FORBIDDEN', where, asked, text, permissionHint(asked));
  const code = status === 401 ? 'UNAUTHORIZED' : status === 404 ? 'NOT_FOUND' : status === 409 ? 'CONFLICT' : undefined;
  const other = code ?? (status < 500 && status !== 429 ? 'UNPROCESSABLE' : 'UNAVAILABLE');
  return describe(other, where, asked, text, HINTS[other]);
}

/** What a Status says: `403 Forbidden: widgets is forbidden`. Of URLs in it the tokens are left out. */
export function statusText(status: number, body: JsonObject): string {
  const [message, reason] = [getOwn(body, 'message'), getOwn(body, 'reason')];
  const label = typeof reason === 'string' && reason !== '' ? `${status} ${reason}` : String(status);
  return typeof message === 'string' && message !== '' ? `${label}: ${maskUrls(message)}` : label;
}

function permissionHint({ verb, resource, namespace }: Asked): string {
  const [whole = '', subresource] = resource.split('/');
  const [plural = '', ...group] = whole.split('.');
  const rule = `apiGroups: ["${group.join('.')}"], resources: ["${plural}${subresource ? `/${subresource}` : ''}"]`;
  const scope = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  return `the user needs ${scope} with ${rule}, verbs: ["${verb}"]`;
}

function describe(code: ErrorCode, { context, server }: Where, asked: Asked, message: string, hint: string): AppError {
  const lines = [`cannot ${renderAsked(asked)}: ${message}`, `  context ${context}, server ${server}`, `  ${hint}`];
  return new AppError(code, lines.join('\n'));
}
