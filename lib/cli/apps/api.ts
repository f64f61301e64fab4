import * as z from 'zod/mini';
import type { Json, JsonObject } from '../../engine/json.ts';
import type { Client, ClientOptions } from '../remote/client.ts';
import { unfit } from '../remote/failures.ts';
import { segment } from '../remote/segment.ts';
import {
  type App,
  type Artifact,
  type Attempt,
  appShape,
  artifactShape,
  attemptShape,
  type Certificate,
  certificateShape,
  type Doctor,
  doctorShape,
  type Logs,
  logsShape,
  type NewToken,
  newTokenShape,
  type Secret,
  secretShape,
  statusShape,
  type Token,
  tokenShape,
} from './shapes.ts';

/** A change that may be sent again: it is done once under one key. */
interface Once {
  readonly idempotencyKey: string;
}

/** The apps of one Roundhouse. Every method rejects with an `AppError` that says what to do. */
export interface Apps {
  /** What a request to another address than the API's needs. */
  readonly options: ClientOptions;
  readonly list: (query?: { readonly q?: string | undefined }) => Promise<readonly App[]>;
  readonly get: (name: string) => Promise<App>;
  readonly create: (app: JsonObject) => Promise<App>;
  /** Undefined when nothing was left to do. */
  readonly remove: (name: string) => Promise<App | undefined>;
  readonly suspend: (name: string, action: 'stop' | 'start') => Promise<App>;
  /** A 409 with a `Retry-After` is not waited for. */
  readonly restart: (name: string, once: Once) => Promise<App>;
  readonly deploy: (name: string, image: string, once: Once) => Promise<App>;
  readonly rollback: (name: string, id: string, once: Once) => Promise<App>;
  readonly createArtifact: (name: string) => Promise<Artifact>;
  /** Newest first. */
  readonly attempts: (name: string, limit: number) => Promise<readonly Attempt[]>;
  /** @param id or `latest` */
  readonly attempt: (name: string, id: string) => Promise<Attempt>;
  readonly cancel: (name: string, id: string) => Promise<Attempt>;
  readonly failed: (since: string) => Promise<readonly Attempt[]>;
  readonly changeEnv: (name: string, changes: Readonly<Record<string, string | null>>) => Promise<App>;
  readonly secrets: (name: string) => Promise<readonly Secret[]>;
  readonly putSecret: (name: string, key: string, value: string, overwriteLocked: boolean) => Promise<void>;
  readonly lockSecret: (name: string, key: string, locked: boolean) => Promise<void>;
  readonly removeSecret: (name: string, key: string, overwriteLocked: boolean) => Promise<void>;
  readonly logs: (name: string, query: Readonly<Record<string, string | undefined>>) => Promise<Logs>;
  readonly status: () => Promise<Readonly<Record<string, unknown>>>;
  readonly doctor: () => Promise<Doctor>;
  readonly certificates: () => Promise<readonly Certificate[]>;
  readonly tokens: () => Promise<readonly Token[]>;
  readonly createToken: (token: JsonObject) => Promise<NewToken>;
  readonly revokeToken: (id: string) => Promise<void>;
}

/** The most that the API gives at once. */
const PAGE_SIZE = '500';

export function createApps({ access, call, listBare }: Client, options: ClientOptions): Apps {
  const app = (name: string) => `/api/v1/apps/${segment(name, 'an app')}`;
  const deploy = (name: string, id: string) => `${app(name)}/deploys/${segment(id, 'a deploy')}`;
  const secret = (name: string, key: string) => `${app(name)}/secrets/${segment(key, 'a secret')}`;
  const as = <S extends z.ZodMiniType>(shape: S, answer: Json | undefined): z.infer<S> => {
    const parsed = z.safeParse(shape, answer);
    // Not what zod made of it: that has other keys first.
    if (parsed.success) return answer as z.infer<S>;
    throw unfit(parsed.error.issues[0]?.path ?? [], access);
  };
  const all = <S extends z.ZodMiniType>(shape: S, items: readonly Json[]): z.infer<S>[] =>
    items.map((item) => as(shape, item));
  const begin = async (path: string, once: Once, body?: Json): Promise<App> =>
    as(appShape, await call('POST', path, { ...once, ...(body !== undefined && { body }), tellConflict: true }));
  return {
    options,
    list: async (query = {}) => all(appShape, await listBare('/api/v1/apps', { limit: PAGE_SIZE, ...query })),
    get: async (name) => as(appShape, await call('GET', app(name))),
    create: async (body) => as(appShape, await call('POST', '/api/v1/apps', { body })),
    remove: async (name) => {
      const left = await call('DELETE', app(name));
      return left === undefined ? undefined : as(appShape, left);
    },
    suspend: async (name, action) => as(appShape, await call('POST', `${app(name)}/${action}`)),
    restart: (name, once) => begin(`${app(name)}/restart`, once),
    deploy: (name, image, once) => begin(`${app(name)}/deploys`, once, { image }),
    rollback: (name, id, once) => begin(`${deploy(name, id)}/rollback`, once),
    createArtifact: async (name) => as(artifactShape, await call('POST', `${app(name)}/artifacts`)),
    attempts: async (name, limit) =>
      as(z.array(attemptShape), await call('GET', `${app(name)}/deploys`, { query: { limit: String(limit) } })),
    attempt: async (name, id) => as(attemptShape, await call('GET', deploy(name, id))),
    cancel: async (name, id) => as(attemptShape, await call('POST', `${deploy(name, id)}/cancel`)),
    failed: async (since) => all(attemptShape, await listBare('/api/v1/deploys/failed', { since })),
    changeEnv: async (name, changes) => as(appShape, await call('PATCH', `${app(name)}/env`, { body: { ...changes } })),
    secrets: async (name) => as(z.array(secretShape), await call('GET', `${app(name)}/secrets`)),
    putSecret: async (name, key, value, overwriteLocked) =>
      void (await call('PUT', secret(name, key), { body: { value, overwrite_locked: overwriteLocked } })),
    lockSecret: async (name, key, locked) =>
      void (await call('POST', `${secret(name, key)}/lock`, { body: { locked } })),
    removeSecret: async (name, key, overwriteLocked) =>
      void (await call('DELETE', secret(name, key), {
        query: { overwrite_locked: overwriteLocked ? 'true' : undefined },
      })),
    logs: async (name, query) => as(logsShape, await call('GET', `${app(name)}/logs`, { query })),
    status: async () => as(statusShape, await call('GET', '/api/v1/system/status')),
    doctor: async () => as(doctorShape, await call('GET', '/api/v1/system/doctor')),
    certificates: async () => as(z.array(certificateShape), await call('GET', '/api/v1/certificates')),
    tokens: async () => all(tokenShape, await listBare('/api/v1/auth/tokens')),
    createToken: async (body) => as(newTokenShape, await call('POST', '/api/v1/auth/tokens', { body })),
    revokeToken: async (id) => void (await call('DELETE', `/api/v1/auth/tokens/${segment(id, 'a token')}`)),
  };
}
