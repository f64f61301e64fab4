import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAuthority, makeServerCertificate } from '../../../../lib/dev/certificates.ts';

export interface FakeWebhook {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly reviews: readonly any[];
  /** Changes the answers, which else give each object another `apiVersion`. */
  readonly behave: (change: (response: any, request: any) => { readonly status?: number; readonly body: any }) => void;
  /** Without token and target. */
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

export const PATH_TOKEN = 'a-secret-path-token';

/** A webhook of a CA of its own. */
export async function startFakeWebhook(target: string): Promise<FakeWebhook> {
  const authority = await makeAuthority('test', Date.now());
  const { cert, key } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now());
  const reviews: any[] = [];
  let change: Parameters<FakeWebhook['behave']>[0] = (response) => ({ body: { response } });
  const server = createServer({ cert, key }, async (request, answer) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const review = JSON.parse(text);
    reviews.push(review);
    const { uid, desiredAPIVersion, objects } = review.request;
    const convertedObjects = objects.map((object: any) => ({ ...object, apiVersion: desiredAPIVersion }));
    const { status = 200, body } = change({ uid, convertedObjects, result: { status: 'Success' } }, review.request);
    answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/convert/default/${PATH_TOKEN}/${target}`,
    endpoint: `https://127.0.0.1:${port}/convert/default`,
    ca: authority.cert,
    reviews,
    behave: (other) => {
      change = other;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
