import { ConversionError } from '../engine/conversion-error.ts';
import { getOwn, type JsonObject } from '../engine/json.ts';
import type { Router } from '../engine/route.ts';
import { createRun } from '../engine/run.ts';
import { AppError } from '../errors.ts';
import { changedPaths } from './diff-paths.ts';
import { parsePlanSource } from './plan-source.ts';
import type { PutDeps } from './put.ts';
import { type RevisionRecord, unpackPlan } from './records.ts';
import { loadRevision, requireHead } from './revisions.ts';
import type { TryInput, TryResult } from './types.ts';

/** Converts one object with a stored revision, offline (D1): a rule without a result is an error, not a silent skip. */
export async function tryConvert(deps: PutDeps, target: string, input: TryInput): Promise<TryResult> {
  const head = await requireHead(deps.store, target);
  const record = await loadRevision(deps.store, head, input.revision ?? head.record.revision);
  const from = sourceVersion(record, input.object);
  const router = await deps.compileRevision(parsePlanSource(await unpackPlan(deps.store, target, record)));
  for (const version of [from, input.to]) {
    if (router.has(version)) continue;
    throw new AppError(
      'UNPROCESSABLE',
      `${target} has no version ${version}; it converts ${router.versions.join(', ')}.`,
    );
  }
  const run = createRun('offline');
  try {
    const converted = router.convert(input.object, from, input.to, run);
    const object = { ...converted, apiVersion: `${record.group}/${input.to}` };
    const { absentSkipped, stashIgnored, shapeMismatches } = run;
    return {
      revision: record.revision,
      from,
      to: input.to,
      object,
      trace: router.trace(input.object, from, input.to, createRun('offline')),
      loss: measureLoss(router, input.object, converted, from, input.to),
      counters: { absentSkipped, stashIgnored, shapeMismatches },
    };
  } catch (cause) {
    if (!(cause instanceof ConversionError)) throw cause;
    throw new AppError('CONVERSION_FAILED', `${from} -> ${input.to}: ${cause.message}`, {}, { cause });
  }
}

/** Version of the object, after checking that the object belongs to the target at all. */
function sourceVersion({ group, kind, claimKind }: RevisionRecord, object: JsonObject): string {
  const apiVersion = getOwn(object, 'apiVersion');
  const found = getOwn(object, 'kind');
  const slash = typeof apiVersion === 'string' ? apiVersion.lastIndexOf('/') : -1;
  const version =
    typeof apiVersion === 'string' && apiVersion.slice(0, slash) === group ? apiVersion.slice(slash + 1) : '';
  if (version !== '' && (found === kind || (found !== undefined && found === claimKind))) return version;
  throw new AppError('UNPROCESSABLE', `The object must be a ${kind} with apiVersion ${group}/<version>.`);
}

/** The verdict of the analysis, and what this object really loses on the way there and back. */
function measureLoss(router: Router, object: JsonObject, converted: JsonObject, from: string, to: string) {
  const lossless = router.lossless(from, to);
  try {
    const back = router.convert(converted, to, from, createRun('offline'));
    const { apiVersion: _there, ...sent } = object;
    const { apiVersion: _back, ...received } = back;
    // Every output has metadata (R02): an object that came without loses nothing by it.
    return { lossless, paths: changedPaths({ metadata: {}, ...sent }, received) };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return { lossless, wayBack: error.message };
  }
}
