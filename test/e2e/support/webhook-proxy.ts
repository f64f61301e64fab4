import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { send } from '../../support/http-client.ts';
import type { Roundhouse } from './roundhouse.ts';

export interface WebhookCall {
  readonly path: string;
  readonly body: string;
}

export interface WebhookReply {
  readonly status: number;
  readonly body: string;
}

/** Answers a call of the apiserver; `forward` sends a call to Roundhouse and gives what that answered. */
export type WebhookBehaviour = (
  call: WebhookCall,
  forward: (call: WebhookCall) => Promise<WebhookReply>,
) => Promise<WebhookReply>;

export interface WebhookProxy {
  /** `https://127.0.0.1:PORT`, trusted by those who trust Roundhouse's CA. */
  readonly url: string;
  readonly calls: () => number;
  readonly behave: (behaviour: WebhookBehaviour) => void;
  readonly close: () => Promise<void>;
}

/** A server between apiserver and Roundhouse, with the certificate of the latter; it passes everything on until it is told otherwise. */
export async function startWebhookProxy(roundhouse: Roundhouse): Promise<WebhookProxy> {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json' };
  const forward = async ({ path, body }: WebhookCall) => {
    const { status, text } = await send(roundhouse.url + path, { headers, body, ca: roundhouse.ca, agent });
    return { status, body: text };
  };
  let behaviour: WebhookBehaviour = forward;
  let calls = 0;
  const pair = readFileSync(roundhouse.certifiedKeyFile, 'utf8');
  const server = createServer({ cert: pair, key: pair }, async (request, response) => {
    calls += 1;
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const reply = await behaviour({ path: request.url ?? '', body: Buffer.concat(chunks).toString() }, forward);
      response.writeHead(reply.status, headers).end(reply.body);
    } catch {
      // One of the two has ended: the other sees the same.
      response.destroy();
    }
  });
  // A caller must not find its connection ended just when it sends: Node would end it after 5 s.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    behave: (next) => {
      behaviour = next;
    },
    close: () => stop(server, agent),
  };
}

async function stop(server: Server, agent: Agent): Promise<void> {
  agent.destroy();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
