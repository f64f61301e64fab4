import type { FunctionUrlEvent } from '../../http/function-url.ts';
import { type FunctionUrlServer, startFunctionUrlServer } from '../function-url-server.ts';
import type { CallRecorder } from './calls.ts';
import { type Context, resolve, type UrlListeners } from './context.ts';
import { LambdaError, renderError } from './errors.ts';
import type { Faults } from './faults.ts';
import { LATEST } from './model.ts';
import { run } from './operations/invoke.ts';
import { isPublic } from './operations/policies.ts';
import { inferAnswer } from './url-result.ts';

interface UrlOptions {
  readonly context: () => Context;
  readonly faults: Faults;
  readonly calls: CallRecorder;
  /** Gets why a request ended with 502. */
  readonly onFault: (fault: unknown) => void;
}

const FORBIDDEN =
  'Forbidden. For troubleshooting Function URL authorization issues, see: ' +
  'https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html';

/** Function URLs. Each has a port of its own, for AWS tells them apart by host name. */
export function createUrlListeners(options: UrlOptions): UrlListeners & { readonly closeAll: () => Promise<void> } {
  const servers = new Map<string, FunctionUrlServer>();
  const start = (name: string, qualifier: string, port: number) =>
    startFunctionUrlServer({
      port,
      // Requests that still run are those of an app that goes away.
      closeGraceMs: 0,
      readResult: inferAnswer,
      onFault: options.onFault,
      route: () => (event) => answer(options, name, qualifier, event),
    });
  const close = async (key: string) => {
    const server = servers.get(key);
    servers.delete(key);
    await server?.close();
  };
  return {
    async open(name, qualifier, port) {
      const server = await start(name, qualifier, port).catch((error: NodeJS.ErrnoException) => {
        if (port === 0 || error.code !== 'EADDRINUSE') throw error;
        return start(name, qualifier, 0);
      });
      servers.set(`${name}:${qualifier}`, server);
      return Number(new URL(server.url).port);
    },
    close: (name, qualifier) => close(`${name}:${qualifier}`),
    closeAll: async () => void (await Promise.all([...servers.keys()].map(close))),
  };
}

/** @throws Error when the app failed, which becomes 502 */
async function answer(
  { context: find, faults, calls }: UrlOptions,
  name: string,
  qualifier: string,
  event: FunctionUrlEvent,
): Promise<unknown> {
  const context = find();
  calls.add({ operation: 'FunctionUrl', functionName: name, at: context.clock.now() });
  const kind = faults.take('FunctionUrl', name)?.rule.kind;
  try {
    if (kind === 'error') throw new Error('a fault of the test');
    const found = resolve(context, name, qualifier === LATEST ? undefined : qualifier);
    if (found.fn.urls[qualifier]?.authType !== 'NONE' || !isPublic(found.fn, qualifier)) return forbidden();
    const outcome = await run(context, found, JSON.stringify(complete(event)), kind === 'crash');
    if (outcome.functionError !== undefined) throw new Error(outcome.payload);
    return JSON.parse(outcome.payload);
  } catch (error) {
    if (error instanceof LambdaError && error.status === 429) return refusal(429, error.type, renderError(error));
    throw error;
  }
}

function forbidden() {
  return refusal(403, 'AccessDeniedException', JSON.stringify({ Message: FORBIDDEN }));
}

function refusal(statusCode: number, type: string, body: string) {
  return { statusCode, headers: { 'x-amzn-errortype': type }, body };
}

/** What an app may read beside what we read: the query as a map, values of one name joined with commas. */
function complete(event: FunctionUrlEvent) {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(event.rawQueryString)) {
    const before = query.get(name);
    query.set(name, before === undefined ? value : `${before},${value}`);
  }
  return { ...event, ...(query.size > 0 && { queryStringParameters: Object.fromEntries(query) }) };
}
