import type { ConfigView, RevisionDetail } from '../../configs/types.ts';
import { readBefore } from './guard.ts';
import type { Roundhouse } from './roundhouse.ts';

interface RollbackOptions {
  readonly target: string;
  readonly to: number;
  readonly expectRevision?: string | undefined;
}

interface RolledBack {
  readonly active: ConfigView;
  /** Absent when the token may not read. */
  readonly revisionBefore?: number;
}

/** Makes an older revision active again; nothing is sent when it is. */
export async function rollback(
  roundhouse: Roundhouse,
  { target, to, expectRevision }: RollbackOptions,
): Promise<RolledBack> {
  const before = await readBefore(roundhouse, target, expectRevision);
  if (before?.revision === to) return { active: before, revisionBefore: to };
  const active = await roundhouse.rollback(target, to, { ifMatch: before?.etag });
  return { active, ...(before && { revisionBefore: before.revision }) };
}

/** What a rollback would change in the sources: a unified diff from the active revision to the other. */
export async function previewRollback(
  roundhouse: Roundhouse,
  { target, to, expectRevision }: RollbackOptions,
): Promise<{ readonly from: number; readonly diff: string }> {
  const before = (await readBefore(roundhouse, target, expectRevision)) ?? (await roundhouse.config(target));
  const [active, other] = await Promise.all([
    roundhouse.revision(target, before.revision),
    roundhouse.revision(target, to),
  ]);
  return { from: before.revision, diff: await diffSources(active, other) };
}

async function diffSources(from: RevisionDetail, to: RevisionDetail): Promise<string> {
  // Loaded on use: they would be part of the start of every command.
  const [{ createTwoFilesPatch, FILE_HEADERS_ONLY: headerOptions }, { documentsOf }] = await Promise.all([
    import('diff'),
    import('./documents.ts'),
  ]);
  const [before, after] = [documentsOf(from, 'yaml'), documentsOf(to, 'yaml')];
  const parts = (['config', 'schema'] as const).map((what) => {
    const [old, next] = [before[what].text, after[what].text];
    const nameOf = ({ revision }: RevisionDetail) => `${what} (revision ${revision})`;
    if (old === next) return '';
    return createTwoFilesPatch(nameOf(from), nameOf(to), old, next, undefined, undefined, { headerOptions });
  });
  return parts.join('');
}
