import { ConversionError } from './conversion-error.ts';
import type { JsonObject } from './json.ts';
import { isFragment, type Run } from './run.ts';
import type { Direction, ListConverter, Lossless } from './strategy.ts';

/** The compiled rules of one spoke. */
export interface Plan extends Record<Direction, ListConverter> {
  readonly lossless: Lossless;
}

/** Converts between all versions of a target: spoke → hub → spoke over one plan for each spoke. */
export interface Router {
  readonly hub: string;
  /** The hub, then the spokes in the config's order. */
  readonly versions: readonly string[];
  has(version: string): boolean;
  /** Whether every value survives the way from one version to another. */
  lossless(from: string, to: string): boolean;
  /**
   * The object at another version; `apiVersion` is left to the caller. The input is never changed, and subtrees that
   * no rule touches are shared with it. Equal versions return the object itself.
   * @throws ConversionError naming rule, strategy, path and reason
   */
  convert(object: JsonObject, from: string, to: string, run: Run): JsonObject;
}

export function createRouter(hub: string, plans: ReadonlyMap<string, Plan>): Router {
  const versions = [hub, ...plans.keys()];
  const planOf = (version: string): Plan => {
    const plan = plans.get(version);
    if (plan !== undefined) return plan;
    throw new ConversionError(`version "${version}" has no plan; known versions: ${versions.join(', ')}`);
  };
  return {
    hub,
    versions,
    has: (version) => version === hub || plans.has(version),
    lossless(from, to) {
      if (from === to) return true;
      const up = from === hub || planOf(from).lossless.spokeToHub;
      return up && (to === hub || planOf(to).lossless.hubToSpoke);
    },
    convert(object, from, to, run) {
      if (from === to) return object;
      const up = from === hub ? undefined : planOf(from);
      const down = to === hub ? undefined : planOf(to);
      run.fragment = isFragment(object, run.mode);
      const atHub = up === undefined ? object : up.spokeToHub(object, run);
      return down === undefined ? atHub : down.hubToSpoke(atHub, run);
    },
  };
}
