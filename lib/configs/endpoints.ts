import { hasErrors } from '../engine/diagnostic.ts';
import type { Json } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import { checkIfMatch, etagOf, lostRace } from '../store/etag.ts';
import type { PageQuery } from '../store/paging.ts';
import { pageOf } from '../store/paging.ts';
import { ABSENT, type Condition, ConditionFailed, type Store } from '../store/ports.ts';
import type { ConfigDeps } from './activation.ts';
import { announce } from './changes.ts';
import { claimDefault, readDefaultClaim, releaseDefault } from './default-endpoint.ts';
import {
  type EndpointBefore,
  type EndpointRecord,
  endpointItem,
  loadEndpoint,
  loadEndpointRecord,
  loadEndpoints,
} from './endpoint-records.ts';
import { readIndex } from './index-entries.ts';
import { type EndpointSpec, parseEndpoint } from './parse-endpoint.ts';
import { readResource } from './resource.ts';
import { makeToken, validTokens } from './tokens.ts';
import type { EndpointResult, EndpointService, EndpointView, Precondition, RotateOptions } from './types.ts';

const DEFAULT_GRACE_SECONDS = 24 * 60 * 60;
const MAX_GRACE_SECONDS = 30 * DEFAULT_GRACE_SECONDS;

export function createEndpointService(deps: ConfigDeps): EndpointService {
  return {
    put: (name, resource, precondition) => putEndpoint(deps, name, resource, precondition),
    async get(name) {
      return await view(deps, await requireEndpoint(deps.store, name));
    },
    async list(query: PageQuery = {}) {
      const records = await loadEndpoints(deps.store);
      const { items, ...page } = pageOf(records, ({ name }) => name, query);
      return { items: await Promise.all(items.map((record) => view(deps, record))), ...page };
    },
    rotate: (name, options) => rotateToken(deps, name, options),
    remove: (name, precondition) => removeEndpoint(deps, name, precondition),
  };
}

async function putEndpoint(
  deps: ConfigDeps,
  name: string,
  resource: Json,
  { ifMatch }: Precondition = {},
): Promise<EndpointResult> {
  const { store, clock } = deps;
  const { spec, diagnostics } = readSpec(name, resource);
  const before = await loadEndpointRecord(store, name);
  const exists = before !== undefined && !before.removed;
  checkIfMatch(ifMatch, exists ? before.version : undefined, `The endpoint ${name}`);
  const at = new Date(clock.now()).toISOString();
  const token = exists ? undefined : makeToken(clock.now());
  const record: EndpointRecord = {
    ...next(deps, before, name),
    ...(spec.selector && { selector: spec.selector }),
    tokens: token ? [token.stored] : (before?.tokens ?? []),
    createdAt: exists ? before.createdAt : at,
  };
  // The claim comes first: a name that another endpoint holds must be refused before anything is stored.
  const claimed = spec.default && (await claimDefault(store, name));
  if (!(await write(deps, record, before))) {
    if (claimed) await releaseDefault(store, name);
    throw lostRace(`The endpoint ${name}`);
  }
  if (!spec.default) await releaseDefault(store, name);
  const endpoint = await view(deps, record);
  return { endpoint, created: !exists, ...(token && { token: token.text }), diagnostics };
}

function readSpec(name: string, raw: Json) {
  const resource = readResource(raw, 'config', stringifyJson);
  const parsed = resource.value ? parseEndpoint(resource.value) : { diagnostics: [] };
  const diagnostics = [...resource.diagnostics, ...parsed.diagnostics];
  const spec: EndpointSpec | undefined = parsed.value;
  if (spec !== undefined && spec.name !== name) {
    const message = `the resource is called ${spec.name}, the request is for ${name}`;
    const hint = 'send the resource to its own name';
    diagnostics.push({ code: 'TARGET_MISMATCH', severity: 'error', message, path: 'metadata.name', hint });
  }
  if (spec !== undefined && !hasErrors(diagnostics)) return { spec, diagnostics };
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const message = `The endpoint ${name} was not stored. First error: ${first?.message}`;
  throw new AppError('CONFIG_INVALID', message, { diagnostics });
}

async function rotateToken(
  deps: ConfigDeps,
  name: string,
  { ifMatch, graceSeconds = DEFAULT_GRACE_SECONDS }: RotateOptions = {},
): Promise<EndpointResult> {
  if (!(graceSeconds >= 0 && graceSeconds <= MAX_GRACE_SECONDS)) {
    throw new AppError('BAD_REQUEST', `graceSeconds must be from 0 to ${MAX_GRACE_SECONDS} (30 days)`);
  }
  const now = deps.clock.now();
  const before = await requireEndpoint(deps.store, name);
  checkIfMatch(ifMatch, before.version, `The endpoint ${name}`);
  const token = makeToken(now);
  const [current] = before.tokens;
  const expiresAt = new Date(now + graceSeconds * 1000).toISOString();
  const old = current && graceSeconds > 0 ? [{ ...current, expiresAt }] : [];
  const record = { ...before, ...next(deps, before, name), tokens: [token.stored, ...old] };
  if (!(await write(deps, record, before))) throw lostRace(`The endpoint ${name}`);
  return { endpoint: await view(deps, record), created: false, token: token.text, diagnostics: [] };
}

async function removeEndpoint(deps: ConfigDeps, name: string, { ifMatch }: Precondition = {}): Promise<void> {
  const { store } = deps;
  const before = await requireEndpoint(store, name);
  checkIfMatch(ifMatch, before.version, `The endpoint ${name}`);
  const users = (await readIndex(store, { everything: true })).filter(({ endpoint }) => endpoint === name);
  if (users.length > 0) {
    const who = users.slice(0, 3).map(({ target }) => target);
    const hint = 'Change their webhookServerRef first: without the endpoint nothing converts their objects.';
    throw new AppError('CONFLICT', `Configs name the endpoint ${name} (${who.join(', ')}). ${hint}`);
  }
  const { selector: _removed, ...rest } = before;
  const tombstone = { ...rest, ...next(deps, before, name), tokens: [], removed: true };
  if (!(await write(deps, tombstone, before))) throw lostRace(`The endpoint ${name}`);
  await releaseDefault(store, name);
}

async function requireEndpoint(store: Store, name: string): Promise<EndpointRecord> {
  const record = await loadEndpoint(store, name);
  if (record !== undefined) return record;
  throw new AppError(
    'NOT_FOUND',
    `There is no endpoint ${name.slice(0, 253)}. GET /api/v1/endpoints lists those that there are.`,
  );
}

function next({ clock, ids }: ConfigDeps, before: EndpointRecord | undefined, name: string) {
  const updatedAt = new Date(clock.now()).toISOString();
  return { name, version: (before?.version ?? 0) + 1, activation: ids(), updatedAt };
}

/** Announces and writes an endpoint if it is still as it was read. False when another writer was first. */
async function write(deps: ConfigDeps, record: EndpointRecord, before: EndpointBefore | undefined): Promise<boolean> {
  const { store, clock, ids } = deps;
  const { name, version, activation } = record;
  const unchanged: Condition = before === undefined ? ABSENT : { attribute: 'version', equals: before.version };
  await announce(store, clock, ids(), { kind: 'endpoint', name, version });
  try {
    await store.put(endpointItem(record), before?.damaged ? undefined : unchanged);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // As for a head: the repetition of a write whose answer was lost finds the first one's version.
    return (await loadEndpointRecord(store, name))?.activation === activation;
  }
}

async function view({ store, clock }: ConfigDeps, record: EndpointRecord): Promise<EndpointView> {
  const { name, selector, createdAt, updatedAt, version } = record;
  return {
    name,
    default: (await readDefaultClaim(store)) === name,
    ...(selector && { selector }),
    tokens: validTokens(record.tokens, clock.now()).map((token) => ({
      createdAt: token.createdAt,
      ...(token.expiresAt !== undefined && { expiresAt: token.expiresAt }),
    })),
    createdAt,
    updatedAt,
    etag: etagOf(version),
  };
}
