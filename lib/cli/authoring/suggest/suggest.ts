import type { Analysis, ConversionSource, SpokeAnalysis } from '../../../engine/analyse.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { type Leaf, leavesOf } from '../../../engine/schema.ts';
import { PROPOSERS, type Proposal } from './proposers.ts';

export interface Suggestions {
  readonly version: string;
  readonly rules: readonly JsonObject[];
  /** Fields of either side that nothing is suggested for. */
  readonly left: { readonly hub: readonly string[]; readonly spoke: readonly string[] };
}

/** Rules for the fields that the rules of each spoke do not cover, best first; a field gets one rule at most. */
export function suggest({ hubVersion, versions }: ConversionSource, { spokes }: Analysis): Suggestions[] {
  const leaves = (version: string, uncovered: readonly string[]): Leaf[] => {
    const schema = versions.find(({ name }) => name === version)?.schema;
    return schema === undefined ? [] : leavesOf(schema).filter(({ text }) => uncovered.includes(text));
  };
  return spokes.map((spoke) =>
    suggestFor(spoke, leaves(hubVersion, spoke.uncoveredHub), leaves(spoke.version, spoke.uncoveredSpoke)),
  );
}

function suggestFor(spoke: SpokeAnalysis, hubLeaves: readonly Leaf[], spokeLeaves: readonly Leaf[]): Suggestions {
  const [hub, own] = [new Set(hubLeaves), new Set(spokeLeaves)];
  const rules: JsonObject[] = [];
  for (const propose of PROPOSERS) {
    for (const proposal of propose([...hub], [...own]).sort(byScore)) {
      if (!hub.has(proposal.hub) || !own.has(proposal.spoke)) continue;
      hub.delete(proposal.hub);
      own.delete(proposal.spoke);
      rules.push(proposal.rule);
    }
  }
  const taken = (uncovered: readonly string[], all: readonly Leaf[], rest: Set<Leaf>) =>
    uncovered.filter((text) => !all.some((leaf) => leaf.text === text && !rest.has(leaf)));
  const left = {
    hub: taken(spoke.uncoveredHub, hubLeaves, hub),
    spoke: taken(spoke.uncoveredSpoke, spokeLeaves, own),
  };
  return { version: spoke.version, rules, left };
}

function byScore(a: Proposal, b: Proposal): number {
  return b.score - a.score || compare(a.hub.text, b.hub.text) || compare(a.spoke.text, b.spoke.text);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
