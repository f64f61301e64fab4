import { Agent } from 'node:https';
import type { Json } from '../../../lib/engine/json.ts';
import { parseJson, stringifyJson } from '../../../lib/k8s/json.ts';
import { send } from '../../support/http-client.ts';

export const MERGE_PATCH = 'application/merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

interface CallOptions {
  /** JSON, integers exact; a text is sent as it is. */
  readonly body?: unknown;
  /** Content type; `application/json` when absent. */
  readonly type?: string;
}

export interface KubeReply {
  readonly status: number;
  /** Parsed JSON, integers beyond 2^53 as bigint; the text of anything else. */
  readonly body: any;
}

export interface Applying {
  readonly manager: string;
  readonly force?: boolean;
}

/** Requests to an apiserver over kept connections, as an administrator. Paths begin with `/`, queries included. */
export interface KubeClient {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<KubeReply>;
  /** The body of a 2xx answer; throws with the text of the server's `Status` for any other. */
  readonly ask: (method: string, path: string, options?: CallOptions) => Promise<any>;
  /** Server-side apply. `path` names the object. */
  readonly apply: (path: string, object: object, applying: Applying) => Promise<KubeReply>;
}

export function createKubeClient({ url, token, ca }: Pick<KubeClient, 'url' | 'token' | 'ca'>): KubeClient {
  const agent = new Agent({ keepAlive: true });
  const call = async (method: string, path: string, { body, type = 'application/json' }: CallOptions = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : stringifyJson(body as Json);
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': type };
    const reply = await send(url + path, { method, headers, ca, agent, ...(text !== undefined && { body: text }) });
    const isJson = /json/.test(reply.headers['content-type'] ?? '');
    const read: any = isJson ? parseJson(reply.text) : reply.text;
    return { status: reply.status, body: read };
  };
  return {
    url,
    token,
    ca,
    call,
    async ask(method, path, options) {
      const { status, body } = await call(method, path, options);
      if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${body?.message ?? body}`);
      return body;
    },
    apply: (path, object, { manager, force = false }) =>
      call('PATCH', `${path}?fieldManager=${manager}&force=${force}`, { body: object, type: APPLY_PATCH }),
  };
}
