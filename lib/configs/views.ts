import { etagOf } from '../store/etag.ts';
import type { Store } from '../store/ports.ts';
import { type ActiveHead, type RevisionRecord, unpackFindings } from './records.ts';
import type { ConfigView, RevisionView } from './types.ts';

export async function renderConfig(store: Store, head: ActiveHead): Promise<ConfigView> {
  const { target, record, updatedAt, version } = head;
  const { source, name, group, kind, labels, endpoint, hubVersion, versions, revision, planHash, lossless } = record;
  const findings = await unpackFindings(store, target, record);
  const facts = { target, source, name, group, kind, labels, ...(endpoint !== undefined && { endpoint }), hubVersion };
  return { ...facts, versions, revision, updatedAt, etag: etagOf(version), planHash, lossless, ...findings };
}

export async function renderRevision(
  store: Store,
  target: string,
  record: RevisionRecord,
  active: number,
): Promise<RevisionView> {
  const { revision, createdAt, name, hubVersion, versions, labels, planHash, lossless } = record;
  const findings = await unpackFindings(store, target, record);
  const facts = { target, revision, active: revision === active, createdAt, name, hubVersion, versions, labels };
  return { ...facts, planHash, lossless, ...findings };
}
