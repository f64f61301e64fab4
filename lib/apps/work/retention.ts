import { type AppRecord, type Attempt, type Code, isFinal } from '../model.ts';

const ARTIFACT = 'artifact:';
/** Releases before the live one that can be gone back to at once. (R43) */
const KEPT_RELEASES = 5;
/** Attempts that the history has at least. */
export const KEPT_ATTEMPTS = 100;

interface Kept {
  readonly versions: ReadonlySet<string>;
  readonly artifacts: ReadonlySet<string>;
  /** Numbers of the attempts that made the kept releases, and of those that run. */
  readonly attempts: ReadonlySet<number>;
}

/**
 * What must stay: what serves, the releases before it, what the alias points at, what an attempt that is not final needs,
 * and what is desired.
 * @param history attempts in any order, the present one may be among them
 */
export function keptOf(app: AppRecord, history: readonly Attempt[], aliasVersions: readonly string[]): Kept {
  const others = history.filter(({ id }) => id !== app.attempt?.id);
  const releases = others
    .filter(({ status, release }) => status === 'succeeded' && release !== undefined)
    .sort((a, b) => (b.release ?? 0) - (a.release ?? 0))
    .slice(0, KEPT_RELEASES);
  const kept = [...releases, ...others.filter((attempt) => !isFinal(attempt)), ...(app.attempt ? [app.attempt] : [])];
  const versions = [...kept.map(({ version }) => version), app.live?.version, ...aliasVersions];
  return {
    versions: new Set(versions.filter((version) => version !== undefined)),
    artifacts: new Set([...kept, ...(app.live ? [app.live] : []), app.spec].flatMap(artifactsOf)),
    attempts: new Set(kept.map(({ number }) => number)),
  };
}

function artifactsOf({ image, code }: { readonly image: string; readonly code?: Code }): string[] {
  const named = image.startsWith(ARTIFACT) ? [image.slice(ARTIFACT.length)] : [];
  return code?.kind === 'zip' ? [code.artifact, ...named] : named;
}
