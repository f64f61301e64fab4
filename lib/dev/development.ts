import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pkg from '../../package.json' with { type: 'json' };
import { ABILITIES } from '../access/abilities.ts';
import { createFunctionUrlEvent } from '../aws/function-url-event.ts';
import type { Clock } from '../clock.ts';
import type { EndpointService, Registries } from '../configs/types.ts';
import { probeConvert } from '../deployment/synthetic.ts';
import { AppError } from '../errors.ts';
import { createApiFunction } from '../http/api-function.ts';
import { fixedTokens, type TokenRecord } from '../http/auth.ts';
import { createConfigServices } from '../http/config-services.ts';
import { createConvertHandler } from '../http/convert.ts';
import type { FunctionUrlHandler } from '../http/handler.ts';
import { createDynamoStore, type DynamoStore } from '../store/dynamo.ts';
import { loadBrand } from '../system/brand.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import { type Access, prepareAccess } from './access.ts';
import { type DevelopmentApps, startApps } from './apps.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';
import { seedExamples } from './examples.ts';
import { type FunctionUrlServer, startFunctionUrlServer } from './function-url-server.ts';
import { foreignCaller } from './loopback-only.ts';
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
  /** Requests a minute that one caller of the API may make, 0 is no limit; as on AWS when absent. */
  readonly rpm?: { readonly read: number; readonly write: number };
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
    const apps = await startApps({ store, clock, log, ...folder });
    closers.push(apps.close);
    const services = createConfigServices({ store, clock, ids: randomUUID });
    const endpoint = await ensureDefaultEndpoint(services.endpoints);
    const examples = await seedExamples(services.configs, examplesDir);
    const { port } = new URL(server.url);
    const convertUrl = access.openAs === undefined ? server.url : `https://${access.openAs}:${port}`;
    functions.resolve(createFunctions(services, store, { ...options, access, convertUrl, apps, clock }));
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
        // Everybody knows the token there is on the loopback interface, and a web page can give this machine a name.
        const foreign = openAs === undefined ? foreignCaller({ host: event.headers?.['host'] }) : undefined;
        if (foreign !== undefined)
          return { statusCode: 403, headers: {}, body: `${foreign} --host opens the server.\n` };
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

interface FunctionParts extends Pick<DevelopmentOptions, 'log' | 'rpm'> {
  readonly access: Access;
  readonly convertUrl: string;
  readonly apps: DevelopmentApps;
  readonly clock: Clock;
}

function createFunctions(
  services: ReturnType<typeof createConfigServices>,
  store: DynamoStore,
  { access, convertUrl, apps, log, clock, rpm = { read: 600, write: 120 } }: FunctionParts,
): Functions {
  const convert = createConvertHandler({
    ...services,
    log,
    newId: randomUUID,
    // Without a token only where nobody else comes in.
    development: access.openAs === undefined,
    deadlineMs: 10_000,
    now: () => performance.now(),
    telemetry: { review: () => {}, registry: () => {} },
  });
  const api = createApiFunction({
    ...services,
    config: {
      ...apps.place,
      CONVERT_URL: convertUrl,
      APP_API_RATE_LIMIT_READ_RPM: rpm.read,
      APP_API_RATE_LIMIT_WRITE_RPM: rpm.write,
      APP_MAX_RESERVED_CONCURRENCY: 500,
      APP_CERT_EXPIRY_WARNING_WINDOW: '336h',
      ALERTS_CONFIGURED: false,
    },
    store,
    clock,
    log,
    knownTokens: fixedTokens(developmentTokens(access)),
    queue: apps.queue,
    client: apps.client,
    lambdaClient: apps.lambdaClient,
    ...(access.tls && { caBundle: access.tls.caBundle }),
    brand: loadBrand(BRAND_FILE),
    version: pkg.version,
    telemetry: { rateLimited: () => {} },
    // Not through the socket: this process does not trust the CA that it made for others.
    probeConvert: () => probeConvert({ convertUrl, fetch: createFetch(convert), newId: randomUUID }),
    fetch: createFetch(convert),
  });
  return { convert, api: refreshAfterChanges(api, services.registries) };
}

/** A `fetch` that asks a handler, as its URL would. */
function createFetch(handler: FunctionUrlHandler): typeof globalThis.fetch {
  return async (input, { method = 'GET', body } = {}) => {
    const { pathname: path } = new URL(String(input));
    const now = Date.now();
    const event = createFunctionUrlEvent({
      method,
      path,
      ...(typeof body === 'string' && { body: { text: body } }),
      requestId: randomUUID(),
      now,
    });
    const result = await handler(event);
    const headers = { ...result.headers, date: new Date(now).toUTCString() };
    return new Response(method === 'HEAD' ? null : result.body, { status: result.statusCode, headers });
  };
}

/** One token for each ability, by names that everybody knows, where nobody else comes in. */
function developmentTokens({ rootToken, openAs }: Access): TokenRecord[] {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const known = ABILITIES.filter((ability) => ability !== 'root').map((ability) => {
    const name = `dev-${ability.replace(':', '-')}-token`;
    return { id: name, sha256: sha256(name), abilities: [ability] };
  });
  return [{ id: 'root', sha256: sha256(rootToken), abilities: ['root'] }, ...(openAs === undefined ? known : [])];
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
