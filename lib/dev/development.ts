import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pkg from '../../package.json' with { type: 'json' };
import { createEndpointService } from '../configs/endpoints.ts';
import { createIdempotencyStore } from '../configs/idempotency.ts';
import { createRegistries } from '../configs/registries.ts';
import { createConfigService } from '../configs/service.ts';
import type { EndpointService, Registries } from '../configs/types.ts';
import { AppError } from '../errors.ts';
import { createApiHandler } from '../http/api.ts';
import { createAuthenticator, fixedTokens } from '../http/auth.ts';
import { createConvertHandler } from '../http/convert.ts';
import type { FunctionUrlHandler } from '../http/handler.ts';
import { createDynamoStore, type DynamoStore } from '../store/dynamo.ts';
import { DEFAULT_ENDPOINT } from '../store/keys.ts';
import { loadBrand } from '../system/brand.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import { type Access, prepareAccess } from './access.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';
import { seedExamples } from './examples.ts';
import { type FunctionUrlServer, startFunctionUrlServer } from './function-url-server.ts';
import { renderWelcome } from './welcome.ts';

export interface DevelopmentOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Folder that keeps the data; in memory when absent. */
  readonly dataDir?: string;
  /**
   * HTTPS with a development CA. `hosts` are names and addresses beside the loopback ones that the certificate covers; one
   * that other machines reach opens the server to the network.
   */
  readonly tls?: { readonly hosts: readonly string[] };
  /** One folder for each example; those without a config yet are put through the service. */
  readonly examplesDir: string;
  /** Takes what a person should read at the start. */
  readonly out: (text: string) => void;
  readonly log: Log;
}

interface Development {
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface Functions {
  readonly convert: FunctionUrlHandler;
  readonly api: FunctionUrlHandler;
}

const DEFAULT_NAME = 'default';
/** The repository's own, wherever the command was given. */
const BRAND_FILE = join(import.meta.dirname, '..', '..', 'brand.yaml');

/**
 * Everything in one process on one port: the embedded database, both functions behind a function-URL server, the
 * examples and a default endpoint. Rejects with an `AppError` that a person can act on: the port is taken, the folder
 * cannot be used, or another instance uses it.
 */
export async function startDevelopment(options: DevelopmentOptions): Promise<Development> {
  const { dataDir, tls, examplesDir, out, log } = options;
  const functions = Promise.withResolvers<Functions>();
  const closers: (() => void | Promise<void>)[] = [];
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    // The database first: it locks the data folder, which keeps the certificates too.
    const database = await startEmbeddedDatabase(dataDir === undefined ? {} : { dir: dataDir });
    closers.push(database.close);
    const clock = { now: () => Date.now() };
    const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
    closers.push(store.close);
    const folder = { ...(dataDir !== undefined && { dataDir }) };
    const access = await prepareAccess({ ...folder, ...(tls && { tls }), now: clock.now() });
    if (access.tls) closers.push(access.tls.close);
    const server = await listen(options, access, functions.promise);
    closers.push(server.close);
    const services = createServices(store, clock);
    const endpoint = await ensureDefaultEndpoint(services.endpoints);
    const examples = await seedExamples(services.configs, examplesDir);
    const { port } = new URL(server.url);
    const convertUrl = access.openAs === undefined ? server.url : `https://${access.openAs}:${port}`;
    functions.resolve(createFunctions(services, store, { access, convertUrl, log }));
    out(renderWelcome({ url: server.url, convertUrl, access, examples, endpoint, ...folder }));
    return { url: server.url, close };
  } catch (error) {
    functions.resolve(unavailable);
    await close();
    throw error;
  }
}

async function listen(
  { port, log }: DevelopmentOptions,
  { tls, openAs }: Access,
  functions: Promise<Functions>,
): Promise<FunctionUrlServer> {
  try {
    return await startFunctionUrlServer({
      port,
      open: openAs !== undefined,
      ...(tls && { tls }),
      route: (path) => async (event, invocation) => {
        const { convert, api } = await functions;
        return await (path.startsWith('/convert/') ? convert : api)(event, invocation);
      },
      onFault: (fault) => log.error('function failed', describeError(fault)),
    });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const reason = code === 'EADDRINUSE' ? 'it is in use' : `${code}`;
    const hint = 'Choose another with --port; --port 0 picks a free one.';
    throw new AppError('CONFLICT', `Cannot listen on port ${port}: ${reason}. ${hint}`, {}, { cause });
  }
}

function createServices(store: DynamoStore, clock: { now(): number }) {
  const deps = { store, clock, ids: randomUUID };
  return {
    configs: createConfigService(deps),
    endpoints: createEndpointService(deps),
    registries: createRegistries(deps),
    idempotency: createIdempotencyStore(deps),
  };
}

function createFunctions(
  services: ReturnType<typeof createServices>,
  store: DynamoStore,
  { access, convertUrl, log }: { readonly access: Access; readonly convertUrl: string; readonly log: Log },
): Functions {
  const shared = { ...services, log, newId: randomUUID };
  const sha256 = createHash('sha256').update(access.rootToken).digest('hex');
  const api = createApiHandler({
    ...shared,
    authenticate: createAuthenticator({
      tokens: fixedTokens([{ id: 'root', sha256, abilities: ['root'] }]),
      now: Date.now,
    }),
    checkReady: async () => void (await store.get(DEFAULT_ENDPOINT)),
    convertUrl,
    ...(access.tls && { caBundle: access.tls.caBundle }),
    brand: loadBrand(BRAND_FILE),
    version: pkg.version,
  });
  return {
    convert: createConvertHandler({
      ...shared,
      // Without a token only where nobody else comes in.
      development: access.openAs === undefined,
      deadlineMs: 10_000,
      now: () => performance.now(),
      telemetry: { review: () => {}, registry: () => {} },
    }),
    api: refreshAfterChanges(api, services.registries),
  };
}

/** @returns the endpoint's path token too, when it was made now; of one that was there only a hash is kept */
async function ensureDefaultEndpoint(endpoints: EndpointService): Promise<{ name: string; token?: string }> {
  const { items } = await endpoints.list();
  const found = items.find((endpoint) => endpoint.default) ?? items.find(({ name }) => name === DEFAULT_NAME);
  if (found !== undefined) return { name: found.name };
  const { token } = await endpoints.put(DEFAULT_NAME, {
    apiVersion: 'terasky.com/v1alpha1',
    kind: 'ConversionWebhookServer',
    metadata: { name: DEFAULT_NAME },
    spec: { default: true },
  });
  return { name: DEFAULT_NAME, ...(token !== undefined && { token }) };
}

/** Both functions have their plans in one memory here, so nobody has to wait for the look that comes every 5 s. */
function refreshAfterChanges(api: FunctionUrlHandler, registries: Registries): FunctionUrlHandler {
  return async (event, invocation) => {
    const result = await api(event, invocation);
    if (event.requestContext?.http?.method === 'GET' || result.statusCode >= 300) return result;
    // A look that fails is made up for by the next review.
    await registries
      .all()
      .then((registry) => registry.refresh())
      .catch(() => {});
    return result;
  };
}

const unavailable: Functions = {
  convert: async () => ({ statusCode: 503, headers: {}, body: '' }),
  api: async () => ({ statusCode: 503, headers: {}, body: '' }),
};
