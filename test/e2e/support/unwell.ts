import { randomBytes } from 'node:crypto';
import { createRegistries } from '../../../lib/configs/registries.ts';
import { startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import type { Router } from '../../../lib/engine/route.ts';
import type { FunctionUrlHandler } from '../../../lib/http/handler.ts';
import { createDynamoStore } from '../../../lib/store/dynamo.ts';
import { createTestConvert } from '../../support/convert-handler.ts';
import {
  createEntry,
  createFakeRegistries,
  createFakeRegistry,
  createScriptedRouter,
} from '../../support/fake-registry.ts';

/** What the path of a call names. */
interface Address {
  readonly target: string;
  readonly endpoint: string;
  readonly token: string;
}

const MAX_REQUEST = 6_291_456;

/**
 * Functions that answer for `convert`: our own handler, each with one thing wrong, and what AWS answers when the handler
 * does not. `well` has nothing.
 */
export function unwellFunctions({ target, endpoint, token }: Address, well: FunctionUrlHandler) {
  const registries = (convert: Router['convert']) => {
    const router = { ...createScriptedRouter(), convert };
    return createFakeRegistries(createFakeRegistry([createEntry(target, router)]), endpoint, token);
  };
  const addressed = (from: string, to: string): FunctionUrlHandler => {
    return (event) => well({ ...event, rawPath: event.rawPath?.replace(from, to) ?? '' });
  };
  const padded = (handler: FunctionUrlHandler): FunctionUrlHandler => {
    return (event) => handler({ ...event, body: `${event.body}${' '.repeat(MAX_REQUEST)}` });
  };
  const throwing = () => {
    throw new TypeError('canary');
  };
  const unloaded = createFakeRegistries(createFakeRegistry([], [target]), endpoint, token);
  let hours = 0;
  return {
    wrongToken: addressed(token, 'A'.repeat(token.length)),
    unknownEndpoint: addressed(`/${endpoint}/`, '/elsewhere/'),
    unknownTarget: addressed(target, `not-${target}`),
    truncated: ((event) => well({ ...event, body: event.body?.slice(0, -2) ?? '' })) as FunctionUrlHandler,
    tooLarge: padded(createTestConvert({ registries: registries((object) => object) })),
    tooLargeForUrl: padded(well),
    broken: createTestConvert({ registries: { ...unloaded, open: async () => throwing() } }),
    throwing: createTestConvert({ registries: registries(throwing) }),
    unloaded: createTestConvert({ registries: unloaded }),
    slow: createTestConvert({ registries: registries((object) => object), now: () => ++hours * 3_600_000 }),
    // Random text, which gzip cannot make small.
    longWinded: createTestConvert({
      registries: registries((object) => ({ ...object, spec: { x: randomBytes(5_000_000).toString('base64') } })),
    }),
    forbidden: answering(403, { Message: 'Forbidden' }),
    throttled: answering(429, { Reason: 'ConcurrentInvocationLimitExceeded', message: 'Rate Exceeded.' }),
    crashed: answering(502, { Message: 'Internal Server Error' }),
  };
}

function answering(statusCode: number, body: object): FunctionUrlHandler {
  return async () => ({ statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** Our own handler, whose database was there once. */
export async function startWithoutDatabase(): Promise<FunctionUrlHandler> {
  const database = await startEmbeddedDatabase();
  const clock = { now: () => Date.now() };
  const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  await database.close();
  return createTestConvert({ registries: createRegistries({ store, clock }), now: () => performance.now() });
}
