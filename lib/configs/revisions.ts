import { AppError } from '../errors.ts';
import { checkIfMatch } from '../store/etag.ts';
import { configPartition, revisionKey, revisionSort } from '../store/keys.ts';
import type { Page, PageQuery } from '../store/paging.ts';
import { keyOf, limitOf, tokenAfter } from '../store/paging.ts';
import type { Store } from '../store/ports.ts';
import { activate, loadHead } from './activation.ts';
import { parsePlanSource } from './plan-source.ts';
import { invalid, notCompiled } from './prepare.ts';
import type { PutDeps } from './put.ts';
import { type ActiveHead, isActive, type RevisionRecord, readRevision, unpackPlan, unpackSource } from './records.ts';
import type { ConfigView, Precondition, RevisionDetail, RevisionView } from './types.ts';
import { renderConfig, renderRevision } from './views.ts';

/** @throws AppError NOT_FOUND */
export async function requireHead(store: Store, target: string): Promise<ActiveHead> {
  const head = await loadHead(store, target);
  if (isActive(head)) return head;
  const hint = `PUT /api/v1/configs/${target} makes one.`;
  throw new AppError('NOT_FOUND', `There is no config for ${target.slice(0, 253)}. ${hint}`);
}

/** Newest first; without gaps, from the last revision that was ever active down to the first one since the creation. */
export async function listRevisions(store: Store, target: string, query: PageQuery = {}): Promise<Page<RevisionView>> {
  const head = await requireHead(store, target);
  const limit = limitOf(query);
  const { firstRevision, lastRevision, record } = head;
  const before = Number(keyOf(query) ?? lastRevision + 1);
  if (!Number.isSafeInteger(before)) throw new AppError('BAD_REQUEST', 'next is not a token of an earlier page');
  const from = Math.max(firstRevision, before - limit);
  const archived = await store.query({
    pk: configPartition(target),
    sk: { from: revisionSort(from), to: revisionSort(before - 1) },
    reverse: true,
  });
  const records = withActive(archived.map(readRevision), record, from, before);
  const items = await Promise.all(records.map((item) => renderRevision(store, target, item, record.revision)));
  const total = lastRevision - firstRevision + 1;
  return { items, total, ...(from > firstRevision && { next: tokenAfter(String(from)) }) };
}

/** The active revision, when a crash kept it from being archived: the head has it. */
function withActive(records: RevisionRecord[], active: RevisionRecord, from: number, before: number) {
  const { revision } = active;
  if (revision < from || revision >= before || records.some((record) => record.revision === revision)) return records;
  return [...records, active].sort((a, b) => b.revision - a.revision);
}

export async function getRevision(store: Store, target: string, revision: number): Promise<RevisionDetail> {
  const head = await requireHead(store, target);
  const record = await loadRevision(store, head, revision);
  const [view, source] = await Promise.all([
    renderRevision(store, target, record, head.record.revision),
    unpackSource(store, target, record),
  ]);
  return { ...view, ...source };
}

/** @throws AppError NOT_FOUND */
export async function loadRevision(store: Store, head: ActiveHead, revision: number): Promise<RevisionRecord> {
  const { target, record, firstRevision, lastRevision } = head;
  if (revision === record.revision) return record;
  const known = Number.isInteger(revision) && revision >= firstRevision && revision <= lastRevision;
  const item = known ? await store.get(revisionKey(target, revision)) : undefined;
  if (item !== undefined) return readRevision(item);
  const range = `It has the revisions ${firstRevision} to ${lastRevision}.`;
  throw new AppError('NOT_FOUND', `${target} has no revision ${revision}. ${range}`);
}

/** Makes an older revision active again: a new activation, the same revision. */
export async function rollback(
  deps: PutDeps,
  target: string,
  revision: number,
  { ifMatch }: Precondition = {},
): Promise<ConfigView> {
  const { store } = deps;
  const before = await requireHead(store, target);
  checkIfMatch(ifMatch, before.version, `The config of ${target}`);
  const record = await loadRevision(store, before, revision);
  try {
    await deps.compileRevision(parsePlanSource(await unpackPlan(store, target, record)));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = `revision ${revision} cannot be compiled: ${cause instanceof Error ? cause.message : 'unknown reason'}`;
    throw invalid(target, [notCompiled(message)]);
  }
  return renderConfig(store, await activate(deps, target, before, record));
}
