import type { ConfigView } from '../../configs/types.ts';
import { AppError } from '../../errors.ts';
import type { Flag } from '../command.ts';
import type { Roundhouse } from './roundhouse.ts';

/** For two people who change one config: the second one is told, and overwrites nothing. */
export const EXPECT_FLAG = {
  value: 'N',
  summary: 'only if revision N is the active one: the one that your change began from',
} as const satisfies Flag;

/**
 * The config before it is changed; undefined when there is none, or when the token may not read: then less is said.
 * @param expected the revision that must be active
 * @throws AppError PRECONDITION_FAILED when it is not
 */
export async function readBefore(
  roundhouse: Roundhouse,
  target: string,
  expected: string | undefined,
): Promise<ConfigView | undefined> {
  const revision = expected === undefined ? undefined : parseRevision(expected, '--expect-revision');
  const before = await roundhouse.config(target).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    if (error instanceof AppError && error.code === 'FORBIDDEN' && revision === undefined) return undefined;
    throw error;
  });
  if (revision === undefined || before?.revision === revision) return before;
  const active = before ? `revision ${before.revision} is the active one` : 'it has no config';
  const hint = 'Nothing was changed. Look at what the others did, then repeat';
  throw new AppError('PRECONDITION_FAILED', `${target} was to be at revision ${revision}, but ${active}. ${hint}`);
}

/** @throws AppError BAD_REQUEST */
export function parseRevision(text: string, flag: string): number {
  const revision = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw new AppError('BAD_REQUEST', `${flag} takes the number of a revision, not "${text}"`);
}
