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
}

export function createRun(mode: Run['mode']): Run {
  return { mode, absentSkipped: 0, stashIgnored: 0, shapeMismatches: 0, fragment: false };
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
