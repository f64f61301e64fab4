import * as z from 'zod/mini';
import type {
  ConfigView,
  EndpointResult,
  EndpointView,
  LabelExpression,
  PutResult,
  RegistryRow,
  RevisionDetail,
  RevisionView,
  SpokeView,
  TokenView,
  TryResult,
  VersionView,
} from '../../configs/types.ts';
import type { Diagnostic } from '../../engine/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../engine/json.ts';
import type { TraceStep } from '../../engine/route.ts';
import type { WithMoreFindings } from '../findings.ts';

/** The shape of an answer, as OpenAPI shows it. A key that the interface has not, or that is missing, does not compile. */
export function record<T>(shape: { readonly [K in keyof T]-?: z.ZodMiniType<T[K]> }): z.ZodMiniType<T> {
  return z.strictObject(shape) as unknown as z.ZodMiniType<T>;
}

const strings = z.readonly(z.array(z.string()));
const text = z.exactOptional(z.string());

/** Any JSON object. Kept by reference: a copy would lose `__proto__` keys and exact integers are not zod's numbers. */
export const jsonObject = z
  .custom<JsonObject>((value) => isObject(value as Json), 'expected an object')
  .check(z.meta({ type: 'object', additionalProperties: true }));

/** A resource as YAML or JSON text, or as an object. */
export const resource = z.union([z.string().check(z.minLength(1)), jsonObject], 'expected text or an object');

export const flag = z.exactOptional(
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((value) => value === 'true'),
  ),
);

export const pageQuery = z.strictObject({
  limit: z.exactOptional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500))),
  next: text,
});
export const listQuery = z.extend(pageQuery, { labelSelector: text });
export const dryRunQuery = z.strictObject({ dryRun: flag });
export const forceQuery = z.strictObject({ force: flag });
export const patchQuery = z.strictObject({ endpoint: text, token: text });

/** One page; `X-Total-Count` tells how many there are over all pages. */
export function page<T>(item: z.ZodMiniType<T>) {
  return z.strictObject({ items: z.array(item), next: text });
}

const diagnostic = record<Diagnostic>({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  path: z.string(),
  hint: z.string(),
  spoke: text,
  rule: z.exactOptional(z.int()),
  nested: z.exactOptional(z.readonly(z.array(z.int()))),
  strategy: text,
  line: z.exactOptional(z.int()),
});
const diagnostics = z.readonly(z.array(diagnostic));
/** Of more than 1,000 findings, or very long ones, only the first are in an answer. */
const moreFindings = z.exactOptional(
  z.int().check(z.meta({ description: 'how many findings there are beyond those shown' })),
);

const version = record<VersionView>({ name: z.string(), served: z.boolean(), storage: z.boolean() });
const versions = z.readonly(z.array(version));
const labels = z.record(z.string(), z.string());
const spoke = record<SpokeView>({
  version: z.string(),
  lossless: z.strictObject({ hubToSpoke: z.boolean(), spokeToHub: z.boolean() }),
  uncoveredHub: strings,
  uncoveredSpoke: strings,
});
const spokes = z.readonly(z.array(spoke));

export const configView = record<WithMoreFindings<ConfigView>>({
  target: z.string(),
  source: z.enum(['CRD', 'XRD']),
  name: z.string(),
  group: z.string(),
  kind: z.string(),
  labels,
  endpoint: text,
  hubVersion: z.string(),
  versions,
  revision: z.int(),
  updatedAt: z.string(),
  etag: z.string(),
  planHash: z.string(),
  lossless: z.boolean(),
  spokes,
  warnings: diagnostics,
  moreFindings,
});

const revisionFields = {
  target: z.string(),
  revision: z.int(),
  active: z.boolean(),
  createdAt: z.string(),
  name: z.string(),
  hubVersion: z.string(),
  versions,
  labels,
  planHash: z.string(),
  lossless: z.boolean(),
  spokes,
  warnings: diagnostics,
  moreFindings,
};
export const revisionView = record<WithMoreFindings<RevisionView>>(revisionFields);
export const revisionDetail = record<WithMoreFindings<RevisionDetail>>({
  ...revisionFields,
  config: z.string(),
  schema: z.string(),
});

export const putResult = record<WithMoreFindings<PutResult>>({
  target: z.string(),
  revision: z.int(),
  created: z.boolean(),
  etag: text,
  diagnostics,
  moreFindings,
  lossless: z.boolean(),
  planHash: z.string(),
  spokes,
});

const traceStep = record<TraceStep>({
  direction: z.enum(['hubToSpoke', 'spokeToHub']),
  spoke: z.string(),
  rule: z.int(),
  strategy: z.string(),
  wrote: strings,
  removed: strings,
});
export const tryResult = record<TryResult>({
  revision: z.int(),
  from: z.string(),
  to: z.string(),
  object: jsonObject,
  trace: z.readonly(z.array(traceStep)),
  loss: record<TryResult['loss']>({ lossless: z.boolean(), paths: z.exactOptional(strings), wayBack: text }),
  counters: record<TryResult['counters']>({ absentSkipped: z.int(), stashIgnored: z.int(), shapeMismatches: z.int() }),
});

const labelExpression = record<LabelExpression>({
  key: z.string(),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.exactOptional(strings),
});
export const endpointView = record<EndpointView>({
  name: z.string(),
  default: z.boolean(),
  selector: z.exactOptional(
    z.strictObject({
      matchLabels: z.exactOptional(labels),
      matchExpressions: z.exactOptional(z.readonly(z.array(labelExpression))),
    }),
  ),
  tokens: z.readonly(z.array(record<TokenView>({ createdAt: z.string(), expiresAt: text }))),
  createdAt: z.string(),
  updatedAt: z.string(),
  etag: z.string(),
});
export const endpointResult = record<WithMoreFindings<EndpointResult>>({
  endpoint: endpointView,
  created: z.boolean(),
  token: text,
  diagnostics,
  moreFindings,
});

export const registryRow = record<RegistryRow>({
  target: z.string(),
  ready: z.boolean(),
  revision: z.int(),
  planHash: text,
  versions: strings,
  compiledAt: text,
  lastError: text,
  lastErrorAt: text,
});
