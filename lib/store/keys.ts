import type { Key } from './ports.ts';

/**
 * Every key of the single table. Attribute `pk` is the partition key, `sk` the sort key, `expiresAt` the TTL in epoch
 * seconds. The index items below are ordinary items, so that they can be read consistently; one secondary index, which is
 * sparse, has the apps that need attention (`attention`, `attentionAt`).
 *
 * | Item                         | pk                      | sk                               | TTL             |
 * |------------------------------|-------------------------|----------------------------------|-----------------|
 * | head of a config             | `HEADS`                 | `<target>`                       |                 |
 * | revision of a config         | `CONFIG#<target>`       | `REVISION#<number>`              |                 |
 * | chunk of a revision          | `CONFIG#<target>`       | `BLOB#<version>#<id>#<what>#<n>` |                 |
 * | index: every config          | `CONFIGS`               | `<target>#<activation>`          |                 |
 * | index: configs with a label  | `LABEL#<key>=<value>`   | `<target>#<activation>`          |                 |
 * | change index                 | `CHANGES`               | `<time in ms>#<activation>`      | 24 h            |
 * | endpoint                     | `ENDPOINTS`             | `<name>`                         |                 |
 * | which endpoint is default    | `DEFAULT-ENDPOINT`      | `DEFAULT-ENDPOINT`               |                 |
 * | answer by Idempotency-Key    | `IDEMPOTENCY#<sha-256>` | `IDEMPOTENCY`                    | 24 h            |
 * | app                          | `APPS`                  | `<name>`                         |                 |
 * | attempt of an app            | `APP#<name>`            | `ATTEMPT#<number>`               |                 |
 * | claim of a domain            | `DOMAINS`               | `<host>`                         |                 |
 * | bearer token                 | `TOKENS`                | `<sha-256>`                      |                 |
 * | audit entry                  | `AUDIT#<yyyy-mm-dd>`    | `<time in ms>#<id>`              | 90 d            |
 * | cached value                 | `CACHE#<name>`          | `CACHE`                          | minutes         |
 * | rate limit                   | `LIMIT#<tier>#<key>`    | `LIMIT`                          | minutes         |
 * | lease of a pass              | `PASS#<name>`           | `PASS`                           |                 |
 *
 * Numbers in sort keys are padded, so that they sort as numbers. Targets are DNS names: they never hold a `#`, and `#`
 * sorts before every character that they can hold.
 *
 * The heads have a partition to themselves, because a cold instance reads most of them: 100 by GetItem take 100 ms of CPU
 * more than by Query.
 *
 * The partitions, as patterns in which `*` stands for any text (IAM's `StringLike`): `access.ts` grants by them.
 */
export const PARTITIONS = Object.freeze({
  heads: 'HEADS',
  config: 'CONFIG#*',
  configs: 'CONFIGS',
  label: 'LABEL#*',
  changes: 'CHANGES',
  endpoints: 'ENDPOINTS',
  defaultEndpoint: 'DEFAULT-ENDPOINT',
  idempotency: 'IDEMPOTENCY#*',
  apps: 'APPS',
  app: 'APP#*',
  domains: 'DOMAINS',
  tokens: 'TOKENS',
  audit: 'AUDIT#*',
  cache: 'CACHE#*',
  limit: 'LIMIT#*',
  pass: 'PASS#*',
});

export const HEADS = PARTITIONS.heads;
export const CONFIGS = PARTITIONS.configs;
export const CHANGES = PARTITIONS.changes;
export const ENDPOINTS = PARTITIONS.endpoints;
export const DEFAULT_ENDPOINT: Key = Object.freeze({ pk: PARTITIONS.defaultEndpoint, sk: 'DEFAULT-ENDPOINT' });

export function configPartition(target: string): string {
  return within(PARTITIONS.config, target);
}

export function headKey(target: string): Key {
  return { pk: HEADS, sk: target };
}

export function revisionSort(revision: number): string {
  return `REVISION#${padded(revision, 10)}`;
}

export function revisionKey(target: string, revision: number): Key {
  return { pk: configPartition(target), sk: revisionSort(revision) };
}

/** The common start of the chunks that one write of head version `version` made. */
export function blobPrefix(version: number, id: string): string {
  return `${blobsOf(version)}${id}#`;
}

/** The start of all chunks made for head version `version`. */
export function blobsOf(version: number): string {
  return `BLOB#${padded(version, 10)}#`;
}

export function chunkKey(target: string, prefix: string, what: string, index: number): Key {
  return { pk: configPartition(target), sk: `${prefix}${what}#${padded(index, 4)}` };
}

export function labelPartition(key: string, value: string): string {
  return within(PARTITIONS.label, `${key}=${value}`);
}

/** The common start of a target's entries in an index partition. */
export function indexPrefix(target: string): string {
  return `${target}#`;
}

export function indexSort(target: string, activation: string): string {
  return `${indexPrefix(target)}${activation}`;
}

/** `time` in milliseconds since the epoch. */
export function changeKey(time: number, id: string): Key {
  return { pk: CHANGES, sk: `${changesFrom(time)}#${id}` };
}

/** Sorts before every change stamped `time` or later. */
export function changesFrom(time: number): string {
  return padded(Math.max(0, time), 15);
}

export function endpointKey(name: string): Key {
  return { pk: ENDPOINTS, sk: name };
}

/** `hash`: hex SHA-256 of the client's key, so that any text is a legal key of bounded length. */
export function idempotencyKey(hash: string): Key {
  return { pk: within(PARTITIONS.idempotency, hash), sk: 'IDEMPOTENCY' };
}

export const APPS = PARTITIONS.apps;
export const DOMAINS = PARTITIONS.domains;
export const TOKENS = PARTITIONS.tokens;

export function appKey(name: string): Key {
  return { pk: APPS, sk: name };
}

/** Attempts of an app, and whatever else goes away with it. */
export function appPartition(name: string): string {
  return within(PARTITIONS.app, name);
}

export function attemptKey(app: string, number: number): Key {
  return { pk: appPartition(app), sk: `ATTEMPT#${padded(number, 10)}` };
}

export function domainKey(host: string): Key {
  return { pk: DOMAINS, sk: host };
}

/** `hash`: hex SHA-256 of the token. */
export function tokenKey(hash: string): Key {
  return { pk: TOKENS, sk: hash };
}

/** `day`: `yyyy-mm-dd`, UTC. */
export function auditPartition(day: string): string {
  return within(PARTITIONS.audit, day);
}

/** `time` in milliseconds since the epoch. */
export function auditKey(time: number, id: string): Key {
  const day = new Date(time).toISOString().slice(0, 10);
  return { pk: auditPartition(day), sk: `${padded(time, 15)}#${id}` };
}

export function cacheKey(name: string): Key {
  return { pk: within(PARTITIONS.cache, name), sk: 'CACHE' };
}

export function limitKey(tier: string, key: string): Key {
  return { pk: within(PARTITIONS.limit, `${tier}#${key}`), sk: 'LIMIT' };
}

export function passKey(name: string): Key {
  return { pk: within(PARTITIONS.pass, name), sk: 'PASS' };
}

/** The partition of `id` among those that a pattern stands for. */
function within(pattern: `${string}#*`, id: string): string {
  return `${pattern.slice(0, -1)}${id}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
