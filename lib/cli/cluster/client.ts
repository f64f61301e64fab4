import type { Agent, RequestOptions } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { JsonError, parseJson, stringifyJson } from '../../k8s/json.ts';
import type { Io } from '../io.ts';
import { authorise } from './credentials.ts';
import { type Asked, noAnswer, refused, wrongAnswer } from './errors.ts';
import { type Kubeconfig, loadKubeconfig } from './kubeconfig.ts';
import { parseMilliseconds } from './milliseconds.ts';

export interface CallOptions {
  readonly body?: Json;
  /** Content type of the body; `application/json` when absent. */
  readonly type?: string;
  /** Not over a connection that was used before, and while nothing else is asked: another apiserver may answer. */
  readonly fresh?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
}

/** An apiserver, as the user of a context. Paths are raw, with their queries; integers are exact in both directions. */
export interface Cluster {
  readonly context: string;
  readonly server: string;
  readonly namespace: string;
  /** Any answer in JSON. @throws AppError when there is none */
  call(asked: Asked, path: string, options?: CallOptions): Promise<Reply>;
  /** The body of a 2xx answer. @throws AppError that says what the server said to any other, and what to do */
  ask(asked: Asked, path: string, options?: CallOptions): Promise<JsonObject>;
}

export interface ClusterFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly requestTimeout: string;
}

export const CLUSTER_FLAGS = {
  kubeconfig: { value: 'FILE', summary: 'the kubeconfig; when absent KUBECONFIG, then ~/.kube/config' },
  context: { value: 'NAME', summary: 'the context of the kubeconfig; when absent its current one' },
  requestTimeout: { value: 'DURATION', default: '60s', summary: 'how long to wait for one answer of the cluster' },
} as const;

const METHODS: Readonly<Record<Asked['verb'], string>> = {
  get: 'GET',
  list: 'GET',
  update: 'PUT',
  patch: 'PATCH',
};

/** A page of a list is far below; what is above is no apiserver. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How often an answer that asks for patience is waited for, as client-go does; each at most this long. */
const PATIENCE = { tries: 10, maxMs: 10_000 };

/** @throws AppError when there is no such kubeconfig or context; nothing is asked of the cluster yet */
export async function openCluster(flags: ClusterFlags, io: Io): Promise<Cluster> {
  const timeoutMs = parseMilliseconds(flags.requestTimeout, '--request-timeout');
  return createCluster(await loadKubeconfig(flags, io), timeoutMs);
}

function createCluster(kubeconfig: Kubeconfig, timeoutMs: number): Cluster {
  const { context, server, namespace } = kubeconfig;
  const call: Cluster['call'] = async (asked, path, options = {}) => {
    for (let tries = 1; ; tries++) {
      const answer = await send(kubeconfig, { method: METHODS[asked.verb], path, timeoutMs, ...options }).catch(
        (cause: Error) => {
          throw noAnswer({ context, server }, asked, cause, timeoutMs);
        },
      );
      const wait = tries < PATIENCE.tries ? waitOf(answer) : undefined;
      if (wait === undefined) return { status: answer.status, body: readBody(answer, { context, server }, asked) };
      await setTimeout(wait);
    }
  };
  return {
    context,
    server,
    namespace,
    call,
    async ask(asked, path, options) {
      const reply = await call(asked, path, options);
      if (reply.status >= 200 && reply.status < 300) return reply.body;
      throw refused({ context, server }, asked, reply);
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

/** What the server asks to wait, where it does: it is too busy, or a cache is not filled yet. */
function waitOf({ status, retryAfter }: Answer): number | undefined {
  if ((status !== 429 && status < 500) || retryAfter === undefined || !/^\d+$/.test(retryAfter)) return undefined;
  return Math.min(Number(retryAfter) * 1000, PATIENCE.maxMs);
}

/** What an apiserver answers for an API group that it does not have is no JSON. */
const NO_SUCH_GROUP = '404 page not found';

function readBody(answer: Answer, where: Pick<Cluster, 'context' | 'server'>, asked: Asked): JsonObject {
  if (answer.status === 404 && answer.text.trim() === NO_SUCH_GROUP) return {};
  try {
    const body = parseJson(answer.text);
    if (isObject(body)) return body;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  throw wrongAnswer(where, asked, answer.status);
}

interface Outgoing extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly timeoutMs: number;
}

async function send(kubeconfig: Kubeconfig, outgoing: Outgoing, retried = false): Promise<Answer> {
  const { method, path, timeoutMs, body, type = 'application/json', fresh } = outgoing;
  const headers = {
    accept: 'application/json',
    'user-agent': 'convctl',
    ...kubeconfig.headers,
    ...(body !== undefined && { 'content-type': type }),
  };
  const options: RequestOptions = { method, headers, signal: AbortSignal.timeout(timeoutMs) };
  await authorise(kubeconfig, options);
  if (fresh) (options.agent as Agent).destroy();
  const url = new URL(kubeconfig.server.replace(/\/+$/, '') + path);
  // Loaded on use: it would be part of the start of every command.
  const { request: start } = url.protocol === 'http:' ? await import('node:http') : await import('node:https');
  return await new Promise<Answer>((resolve, reject) => {
    const request = start(url, options, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_ANSWER_BYTES) response.destroy(Object.assign(new Error('TOO_LARGE'), { code: 'TOO_LARGE' }));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, text: Buffer.concat(chunks).toString(), retryAfter: headers['retry-after'] });
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server ended a kept connection just as it was used again: nothing of the request was read.
      if (request.reusedSocket && error.code === 'ECONNRESET' && !retried) {
        send(kubeconfig, outgoing, true).then(resolve, reject);
      } else reject(error);
    });
    request.end(body === undefined ? undefined : stringifyJson(body));
  });
}
