import { readFileSync } from 'node:fs';
import { startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import type { FunctionUrlHandler } from '../../../lib/http/handler.ts';
import { send } from '../../support/http-client.ts';
import type { Roundhouse } from './roundhouse.ts';

/** A function URL with Roundhouse's certificate, behind which a test can put any function in place of `convert`. */
export interface FunctionStandIn {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  readonly calls: () => number;
  /** What Roundhouse itself answers; it does until a test says otherwise. */
  readonly forward: FunctionUrlHandler;
  readonly answerWith: (handler: FunctionUrlHandler) => void;
  /** Nobody listens any more, until it is opened again at the same port. */
  readonly close: () => Promise<void>;
  readonly reopen: () => Promise<void>;
}

/** Requests whose handler never answers end with the server. */
const CLOSE_GRACE_MS = 50;

export async function startFunctionStandIn(roundhouse: Roundhouse): Promise<FunctionStandIn> {
  const { url, ca } = roundhouse;
  const pair = readFileSync(roundhouse.certifiedKeyFile, 'utf8');
  const headers = { 'content-type': 'application/json' };
  const forward: FunctionUrlHandler = async ({ rawPath, body }) => {
    const { status, text } = await send(`${url}${rawPath}`, { headers, body: body ?? '', ca });
    return { statusCode: status, headers, body: text };
  };
  let handler = forward;
  let calls = 0;
  const open = (port: number) =>
    startFunctionUrlServer({
      port,
      tls: { cert: pair, key: pair },
      closeGraceMs: CLOSE_GRACE_MS,
      route: () => (event, invocation) => {
        calls += 1;
        return handler(event, invocation);
      },
    });
  let server = await open(0);
  return {
    url: server.url,
    calls: () => calls,
    forward,
    answerWith: (next) => {
      handler = next;
    },
    close: () => server.close(),
    reopen: async () => {
      server = await open(Number(new URL(server.url).port));
    },
  };
}
