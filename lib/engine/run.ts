import { RuleError } from './conversion-error.ts';
import { isObject, type JsonObject } from './json.ts';

/**
 * What a conversion runs under, and what it counts; one for each review or command.
 * `review`: a rule whose source is absent writes nothing and is counted (D1). `offline`: it is an error, as in the peer.
 */
export interface Run {
  readonly mode: 'review' | 'offline';
  /** Rules that had no result because their source is absent. */
  absentSkipped: number;
  /** Stashed values that could not be read back and were left where they are (D2). */
  stashIgnored: number;
  /** Singleton or unwrap rules whose source had another shape (D20). */
  shapeMismatches: number;
  /** Of the object at hand, set by the router: no leaf may be invented (D1). */
  fragment: boolean;
  /** What rules added to the object at hand, in characters; reset by the router. */
  added: number;
  readonly expired: (() => boolean) | undefined;
}

/**
 * What rules may add to one object, in characters of JSON, about: a rule in a ForEach runs for each element, so what it
 * copies is counted for the object. etcd keeps no object over 1.5 MB.
 */
const MAX_ADDED = 4_000_000;

/** @param expired asked now and then in long lists: true ends the conversion with an error (R30) */
export function createRun(mode: Run['mode'], expired?: () => boolean): Run {
  const counters = { absentSkipped: 0, stashIgnored: 0, shapeMismatches: 0 };
  return { mode, expired, ...counters, fragment: false, added: 0 };
}

/** Counts what a rule adds to the object. @throws RuleError when it is too much */
export function spend(run: Run, characters: number): void {
  run.added += characters;
  if (run.added <= MAX_ADDED) return;
  throw new RuleError(`the rules add more than ${MAX_ADDED} characters to this object`);
}

/**
 * A fragment is the part of an object that one server-side-apply manager owns: in a review it has no `metadata.uid`,
 * offline neither `name` nor `generateName` (D1; seen on Kubernetes 1.34 and 1.36).
 */
export function isFragment(object: JsonObject, mode: Run['mode']): boolean {
  const { metadata } = object;
  if (!isObject(metadata)) return true;
  if (mode === 'review') return metadata['uid'] === undefined;
  return metadata['name'] === undefined && metadata['generateName'] === undefined;
}
