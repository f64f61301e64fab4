import { ConversionError } from './conversion-error.ts';
import type { JsonObject } from './json.ts';
import { isFragment, type Run } from './run.ts';
import type { Direction, ListConverter, Lossless } from './strategy.ts';

/** What one rule did to one object. */
export interface TraceStep {
  /** The hop: to the hub by a spoke's rules, or from it. */
  readonly direction: Direction;
  readonly spoke: string;
  readonly rule: number;
  readonly strategy: string;
  /** Paths of the output that the rule wrote; empty when it had nothing to do. */
  readonly wrote: readonly string[];
  /** Metadata keys that it took away. */
  readonly removed: readonly string[];
}

export type Tracer = (source: JsonObject, run: Run) => Omit<TraceStep, 'direction' | 'spoke'>[];

/** The compiled rules of one spoke. */
export interface Plan extends Record<Direction, ListConverter> {
  readonly lossless: Lossless;
  readonly trace: Record<Direction, Tracer>;
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
  /** What each rule does to an object that converts, in order. */
  trace(object: JsonObject, from: string, to: string, run: Run): TraceStep[];
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
      startObject(object, run);
      const atHub = up === undefined ? object : up.spokeToHub(object, run);
      return down === undefined ? atHub : down.hubToSpoke(atHub, run);
    },
    trace(object, from, to, run) {
      if (from === to) return [];
      startObject(object, run);
      const hop = (direction: Direction, spoke: string, source: JsonObject): TraceStep[] =>
        planOf(spoke)
          .trace[direction](source, run)
          .map((step) => ({ direction, spoke, ...step }));
      const up = from === hub ? [] : hop('spokeToHub', from, object);
      if (to === hub) return up;
      const atHub = from === hub ? object : planOf(from).spokeToHub(object, run);
      return [...up, ...hop('hubToSpoke', to, atHub)];
    },
  };
}

function startObject(object: JsonObject, run: Run): void {
  run.fragment = isFragment(object, run.mode);
  run.added = 0;
}
