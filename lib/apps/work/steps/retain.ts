import { attemptKey } from '../../../store/keys.ts';
import { type Attempt, isFinal } from '../../model.ts';
import { archive, attemptNumber, loadAttempts } from '../../records.ts';
import { KEPT_ATTEMPTS, keptOf } from '../retention.ts';
import type { StepContext, StepResult } from '../step.ts';

/** More than the history holds: one attempt leaves it for each that comes. */
const HISTORY = 500;
/** Removals of one attempt; what is more goes at the next one. */
const MOST = 50;

/**
 * Removes what nobody needs any more: versions that we published, packages, old records of attempts. Whatever goes wrong
 * here is told and left for the next attempt: the release is good.
 */
export async function retain(context: StepContext): Promise<StepResult> {
  const refusals: string[] = [];
  const removed = { versions: 0, packages: 0, attempts: 0 };
  let left = MOST;
  const remove = async (kind: keyof typeof removed, what: string, run: () => Promise<void>): Promise<void> => {
    if (left === 0 || context.deps.clock.now() > context.deadline) return;
    left -= 1;
    try {
      await run();
      removed[kind] += 1;
    } catch (error) {
      refusals.push(`${what} stays: ${error instanceof Error ? error.message : 'no reason'}`);
    }
  };
  await remove('attempts', 'everything', async () => {
    removed.attempts -= 1;
    await prune(context, remove);
  });
  const counts = Object.entries(removed).filter(([, count]) => count > 0);
  if (counts.length > 0)
    context.tell('removed', `removed ${counts.map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
  if (refusals.length > 0) context.tell('left', refusals.slice(0, 3).join('; '));
  return {};
}

type Remove = (kind: 'versions' | 'packages' | 'attempts', what: string, run: () => Promise<void>) => Promise<void>;

async function prune({ deps, app }: StepContext, remove: Remove): Promise<void> {
  const { name } = app();
  const history = await loadAttempts(deps, app(), { limit: HISTORY });
  const alias = await deps.runtime.findAlias(name);
  const kept = keptOf(app(), history, alias ? [alias.version] : []);
  for (const { version, description } of await deps.runtime.versions(name)) {
    // Versions that somebody else published are not ours to remove.
    if (kept.versions.has(version) || attemptNumber(description) === undefined) continue;
    await remove('versions', `version ${version}`, () => deps.runtime.removeVersion(name, version));
  }
  const gone = new Set<string>();
  for (const attempt of history.filter((entry) => isSpare(entry, kept.artifacts))) {
    const { artifact } = attempt.code;
    await remove('packages', `package ${artifact}`, async () => {
      if (!gone.has(artifact)) await deps.artifacts.remove(name, artifact);
      gone.add(artifact);
      await archive(deps, name, { ...attempt, pruned: true });
    });
  }
  for (const { number } of history.slice(KEPT_ATTEMPTS)) {
    if (kept.attempts.has(number)) continue;
    await remove('attempts', `attempt ${number}`, () => deps.store.remove(attemptKey(name, number)));
  }
}

type Packaged = Attempt & { readonly code: Extract<Attempt['code'], { kind: 'zip' }> };

function isSpare(attempt: Attempt, kept: ReadonlySet<string>): attempt is Packaged {
  return isFinal(attempt) && !attempt.pruned && attempt.code?.kind === 'zip' && !kept.has(attempt.code.artifact);
}
