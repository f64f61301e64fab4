import type { Diagnostic } from '../engine/diagnostic.ts';
import { AppError } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import type { Write } from '../store/ports.ts';
import { activate, type ConfigDeps, loadHeadToReplace, newBlobPrefix } from './activation.ts';
import type { CompileRevision } from './compile-revision.ts';
import { createConfigFilter, loadEndpoint } from './endpoint-records.ts';
import { checkIfMatch, etagOf } from './etag.ts';
import { isDnsName } from './metadata.ts';
import { hashPlanSource, parsePlanSource, renderPlanSource } from './plan-source.ts';
import { invalid, notCompiled, type Prepared, prepare } from './prepare.ts';
import { type Findings, type Head, isActive, packTexts, type RevisionRecord } from './records.ts';
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
  const result = {
    target,
    revision: record.revision,
    created: !isActive(before),
    diagnostics: warnings,
    lossless: record.lossless,
    planHash: record.planHash,
    spokes: findings.spokes,
  };
  if (dryRun) return result;
  const head = await activate(deps, target, before, record, chunks);
  return { ...result, etag: etagOf(head.version) };
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
