import type {
  ConfigView,
  EndpointResult,
  EndpointView,
  PutInput,
  PutResult,
  RegistryRow,
  RevisionDetail,
  RevisionView,
} from '../../configs/types.ts';
import { getOwn, isObject, type Json, type JsonObject, jsonType } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseMilliseconds } from '../cluster/milliseconds.ts';
import type { Io } from '../io.ts';
import { type Access, type AccessFlags, resolveAccess } from './access.ts';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { foreign } from './failures.ts';
import { segment } from './segment.ts';

/** What an answer about a config has beyond the service's own: how many findings were left out. */
type Shown<T> = T & { readonly moreFindings?: number };

interface Guard {
  /** ETag that the config or endpoint must still have. */
  readonly ifMatch?: string | undefined;
}

/** The API of one Roundhouse. Every method rejects with an `AppError` that says what to do. */
export interface Roundhouse {
  readonly server: string;
  /** Rejects unless a Roundhouse is there and knows the token, whatever that may do. */
  readonly check: () => Promise<void>;
  readonly config: (target: string) => Promise<Shown<ConfigView>>;
  readonly putConfig: (
    target: string,
    input: PutInput,
    options?: Guard & { readonly dryRun?: boolean },
  ) => Promise<Shown<PutResult>>;
  /** Newest first. */
  readonly revisions: (target: string) => Promise<readonly Shown<RevisionView>[]>;
  readonly revision: (target: string, revision: number) => Promise<Shown<RevisionDetail>>;
  readonly rollback: (target: string, revision: number, guard?: Guard) => Promise<Shown<ConfigView>>;
  /** The server-side-apply patch that points the CRD or XRD at an endpoint: the config's own, or the default one. */
  readonly patch: (
    target: string,
    query?: { readonly endpoint?: string | undefined; readonly token?: string | undefined },
  ) => Promise<JsonObject>;
  readonly endpoints: () => Promise<readonly EndpointView[]>;
  readonly endpoint: (name: string) => Promise<EndpointView>;
  readonly putEndpoint: (name: string, resource: Json, guard?: Guard) => Promise<Shown<EndpointResult>>;
  readonly rotate: (name: string, body: { readonly graceSeconds?: number }) => Promise<Shown<EndpointResult>>;
  readonly removeEndpoint: (name: string) => Promise<void>;
  readonly registry: () => Promise<readonly RegistryRow[]>;
}

/** The Roundhouse that flags, environment and contexts name. No request is made yet. @throws AppError */
export async function openRoundhouse(flags: AccessFlags, io: Io): Promise<Roundhouse> {
  return roundhouseAt(await resolveAccess(flags, io), flags, io);
}

export function roundhouseAt(access: Access, flags: Pick<AccessFlags, 'timeout'>, io: Io): Roundhouse {
  return createRoundhouse(createClient(clientOptions(access, flags, io)));
}

export function clientOptions(access: Access, { timeout }: Pick<AccessFlags, 'timeout'>, { env }: Io): ClientOptions {
  return { access, timeoutMs: parseMilliseconds(timeout, '--timeout'), env };
}

/** The fields without which nothing here can use an answer. */
const SHAPES = {
  page: { items: 'array' },
  config: { target: 'string', revision: 'number', etag: 'string' },
  put: { revision: 'number', diagnostics: 'array', spokes: 'array' },
  revision: { revision: 'number', versions: 'array', spokes: 'array' },
  sources: { revision: 'number', config: 'string', schema: 'string' },
  patch: { spec: 'object' },
  endpoint: { name: 'string', tokens: 'array' },
  endpointResult: { endpoint: 'object', diagnostics: 'array' },
  row: { target: 'string', revision: 'number', versions: 'array' },
} as const satisfies Record<string, Readonly<Record<string, ReturnType<typeof jsonType>>>>;

export function createRoundhouse({ access, call, list }: Client): Roundhouse {
  const config = (target: string) => `/api/v1/configs/${segment(target, 'a CRD or XRD')}`;
  const endpoint = (name: string) => `/api/v1/endpoints/${segment(name, 'an endpoint')}`;
  /** Has the rest of its shape from the OpenAPI document; any JSON can come from a wrong address. */
  const as = <T>(shape: keyof typeof SHAPES, answer: Json | undefined): T => {
    const isWhole = Object.entries(SHAPES[shape]).every(([key, type]) => {
      const value = answer !== undefined && isObject(answer) ? getOwn(answer, key) : undefined;
      return value !== undefined && jsonType(value) === type;
    });
    if (!isWhole) throw foreign(200, undefined, access);
    return answer as T;
  };
  const all = <T>(shape: keyof typeof SHAPES, items: readonly Json[]): T[] => items.map((item) => as<T>(shape, item));
  return {
    server: access.server,
    check: async () => {
      try {
        as('page', await call('GET', '/api/v1/configs', { query: { limit: '1' } }));
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'FORBIDDEN')) throw error;
      }
    },
    config: async (target) => as('config', await call('GET', config(target))),
    putConfig: async (target, body, { dryRun = false, ifMatch } = {}) => {
      const query = dryRun ? { dryRun: 'true' } : {};
      return as('put', await call('PUT', config(target), { query, body: { ...body }, ifMatch }));
    },
    revisions: async (target) => all('revision', await list(`${config(target)}/revisions`)),
    revision: async (target, revision) => as('sources', await call('GET', `${config(target)}/revisions/${revision}`)),
    rollback: async (target, revision, { ifMatch } = {}) =>
      as('config', await call('POST', `${config(target)}/rollback`, { body: { revision }, ifMatch })),
    patch: async (target, query = {}) =>
      as('patch', await call('GET', `${config(target)}/patch`, { query: { ...query } })),
    endpoints: async () => all('endpoint', await list('/api/v1/endpoints')),
    endpoint: async (name) => as('endpoint', await call('GET', endpoint(name))),
    putEndpoint: async (name, body, { ifMatch } = {}) =>
      as('endpointResult', await call('PUT', endpoint(name), { body, ifMatch })),
    rotate: async (name, body) =>
      as('endpointResult', await call('POST', `${endpoint(name)}/rotate`, { body: { ...body } })),
    removeEndpoint: async (name) => void (await call('DELETE', endpoint(name))),
    registry: async () => all('row', await list('/api/v1/registry')),
  };
}
