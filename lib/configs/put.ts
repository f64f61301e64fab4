import { isDeepStrictEqual } from 'node:util';
import type { Diagnostic } from '../engine/diagnostic.ts';
import { AppError } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import { checkIfMatch, etagOf } from '../store/etag.ts';
import type { Store, Write } from '../store/ports.ts';
import { activate, type ConfigDeps, loadHeadToReplace, newBlobPrefix } from './activation.ts';
import type { CompileRevision } from './compile-revision.ts';
import { createConfigFilter, loadEndpoint } from './endpoint-records.ts';
import { cleanIndex } from './index-entries.ts';
import { isDnsName } from './metadata.ts';
import { hashPlanSource, parsePlanSource, renderPlanSource } from './plan-source.ts';
import { invalid, notCompiled, type Prepared, prepare } from './prepare.ts';
import {
  type ActiveHead,
  type Findings,
  type Head,
  isActive,
  packTexts,
  type RevisionRecord,
  unpackFindings,
  unpackPlan,
  unpackSource,
} from './records.ts';
import type { PutInput, PutOptions, PutResult, SpokeView } from './types.ts';

export interface PutDeps extends ConfigDeps {
  readonly compileRevision: CompileRevision;
}

/** Analyses, stores and activates a config: see `ConfigService.put`. */
export async function putConfig(
  deps: PutDeps,
  target: string,
  input: PutInput,
  { dryRun = false, ifMatch }: PutOptions = {},
): Promise<PutResult> {
  if (!isDnsName(target)) {
    const hint = 'It is the metadata.name of a CRD or XRD, such as widgets.example.org.';
    throw new AppError('BAD_REQUEST', `"${target.slice(0, 64)}" cannot be a target. ${hint}`);
  }
  const before = await loadHeadToReplace(deps.store, target);
  checkIfMatch(ifMatch, isActive(before) ? before.version : undefined, `The config of ${target}`);
  const prepared = await prepare(target, input);
  const warnings = [...prepared.diagnostics, ...(await endpointFindings(deps, prepared))];
  const findings = { spokes: spokesOf(prepared), warnings };
  const { record, chunks } = await makeRecord(deps, target, before, prepared, findings);
  const unchanged = isActive(before) && (await isUnchanged(deps.store, before, record));
  const result = {
    target,
    revision: unchanged ? before.record.revision : record.revision,
    created: !isActive(before),
    diagnostics: warnings,
    lossless: record.lossless,
    planHash: record.planHash,
    spokes: findings.spokes,
  };
  if (dryRun) return result;
  const head = unchanged ? before : await activate(deps, target, before, record, chunks);
  // It may repeat a put that was cut off after its head: stale entries go now, as no later activation may come.
  if (unchanged) await Promise.allSettled([cleanIndex(deps.store, target, head.version, head.activation)]);
  return { ...result, etag: etagOf(head.version) };
}

/**
 * Whether the active revision has this content already and is whole: what a GitOps tool that applies every few minutes
 * sends. Nothing is written then, and no instance compiles anything. One that is not whole is replaced: that repairs it.
 */
async function isUnchanged(store: Store, { target, record: active }: ActiveHead, record: RevisionRecord) {
  return isDeepStrictEqual(contentOf(active), contentOf(record)) && (await isWhole(store, target, active));
}

/** All of a revision but its number, its time and its place; the hashes stand for its texts. */
function contentOf(record: RevisionRecord) {
  return { ...record, revision: 0, createdAt: '', blobs: '', planData: undefined, findingsData: undefined };
}

/** Whether every text of a revision can be read back. */
async function isWhole(store: Store, target: string, record: RevisionRecord): Promise<boolean> {
  try {
    await Promise.all([unpackPlan, unpackFindings, unpackSource].map((unpack) => unpack(store, target, record)));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'INTERNAL') return false;
    throw error;
  }
}

async function makeRecord(
  deps: PutDeps,
  target: string,
  before: Head | undefined,
  prepared: Prepared,
  findings: Findings,
): Promise<{ record: RevisionRecord; chunks: readonly Write[] }> {
  const { config, schema, schemaApiVersion, source, analysis, texts } = prepared;
  const plan = renderPlanSource(source);
  await checkCompiles(deps, target, plan);
  const blobs = newBlobPrefix(deps, before);
  const { fields, writes } = await packTexts(target, blobs, {
    plan,
    findings: stringifyJson(findings as never),
    text: stringifyJson(texts),
  });
  const record: RevisionRecord = {
    revision: (before?.lastRevision ?? 0) + 1,
    createdAt: new Date(deps.clock.now()).toISOString(),
    blobs,
    source: schema.source,
    apiVersion: schemaApiVersion,
    name: config.name,
    group: schema.group,
    kind: schema.kind,
    ...(schema.claim && { claimKind: schema.claim.kind }),
    labels: { ...config.labels },
    ...(config.endpoint !== undefined && { endpoint: config.endpoint }),
    reviewVersions: [...config.reviewVersions],
    hubVersion: config.hubVersion,
    versions: schema.versions.map(({ name, served, storage }) => ({ name, served, storage })),
    planHash: hashPlanSource(source),
    lossless: analysis.lossless,
    ...fields,
  };
  return { record, chunks: writes };
}

/** A revision is compiled, from the text that instances will read, before it can become the active one (R37). */
async function checkCompiles({ compileRevision }: PutDeps, target: string, plan: string): Promise<void> {
  try {
    await compileRevision(parsePlanSource(plan));
  } catch (cause) {
    const message = `the plan cannot be compiled: ${cause instanceof Error ? cause.message : 'unknown reason'}`;
    throw invalid(target, [notCompiled(message)]);
  }
}

function spokesOf({ analysis }: Prepared): SpokeView[] {
  return analysis.spokes.map(({ version, lossless, uncoveredHub, uncoveredSpoke }) => {
    return { version, lossless, uncoveredHub, uncoveredSpoke };
  });
}

/** Peer: an unknown server is a warning at admission too; the config is served once the endpoint is there. */
async function endpointFindings({ store }: ConfigDeps, { config }: Prepared): Promise<Diagnostic[]> {
  const { endpoint: name } = config;
  if (name === undefined) return [];
  const path = 'spec.webhookServerRef.name';
  const endpoint = await loadEndpoint(store, name);
  if (endpoint === undefined) {
    const message = `there is no endpoint ${name}: nothing serves this config`;
    return [{ code: 'ENDPOINT_UNKNOWN', severity: 'warning', message, hint: `create the endpoint ${name}`, path }];
  }
  if (createConfigFilter(endpoint)(config)) return [];
  const message = `the selector of endpoint ${name} does not match the labels of this config: nothing serves it`;
  const hint = 'change the labels of the config, or the selector of the endpoint';
  return [{ code: 'ENDPOINT_SELECTOR', severity: 'warning', message, hint, path }];
}
