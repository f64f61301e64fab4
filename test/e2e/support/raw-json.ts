import { Agent } from 'node:https';
import { send } from '../../support/http-client.ts';
import type { KubeClient } from './kube-client.ts';

type WithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => any;

/** JSON text with all digits of its integers, each of them a bigint. Not the reader of the product, which it judges. */
export function readRaw(text: string): any {
  return (JSON.parse as WithSource)(text, (_key, value, { source = '' }) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value,
  );
}

/** Asks an apiserver with JSON text, and gives the text of a 2xx answer. */
export type AskRaw = (method: string, path: string, body?: string, type?: string) => Promise<string>;

export function rawClient({ url, token, ca }: Pick<KubeClient, 'url' | 'token' | 'ca'>): AskRaw {
  const agent = new Agent({ keepAlive: true });
  return async (method, path, body, type = 'application/json') => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': type };
    const reply = await send(url + path, { method, headers, ca, agent, ...(body !== undefined && { body }) });
    if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.text;
  };
}
