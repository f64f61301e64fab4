import type { Analysis, RuleReport, SpokeAnalysis } from '../../engine/analyse.ts';
import type { Diagnostic } from '../../engine/diagnostic.ts';
import { isObject, type Json } from '../../engine/json.ts';
import type { Direction } from '../../engine/strategy.ts';
import { stringifyGoJson } from '../../engine/values/go-json.ts';

/** One of two configs for the same target. */
export interface ComparedConfig {
  /** The file, or `cluster:<name>`. */
  readonly label: string;
  readonly analysis: Analysis;
  /** The raw rules of each spoke. */
  readonly spokes: readonly { readonly version: string; readonly rules: readonly Json[] }[];
}

export interface RuleClaim {
  readonly strategy: string;
  readonly hubPaths: readonly string[];
  readonly spokePaths: readonly string[];
}

export interface LosslessChange {
  readonly direction: Direction;
  readonly from: boolean;
  readonly to: boolean;
}

interface MessageDeltas {
  readonly errorsAdded: readonly string[];
  readonly errorsRemoved: readonly string[];
  readonly warningsAdded: readonly string[];
  readonly warningsRemoved: readonly string[];
}

export interface SpokeDelta extends MessageDeltas {
  readonly version: string;
  readonly uncoveredHubAdded: readonly string[];
  readonly uncoveredHubRemoved: readonly string[];
  readonly uncoveredSpokeAdded: readonly string[];
  readonly uncoveredSpokeRemoved: readonly string[];
  readonly ruleClaimsAdded: readonly RuleClaim[];
  readonly ruleClaimsRemoved: readonly RuleClaim[];
  /** Rules that claim what they did, and say something else about it. */
  readonly rulesChanged: readonly RuleClaim[];
  readonly losslessChanges: readonly LosslessChange[];
}

/** What is different between two configs; without deltas they convert alike. */
export interface ConfigDelta {
  readonly hasDeltas: boolean;
  readonly hubVersionChange?: { readonly from: string; readonly to: string };
  readonly spokesAdded?: readonly string[];
  readonly spokesRemoved?: readonly string[];
  /** Spokes of both, where something changed. */
  readonly spokes?: readonly SpokeDelta[];
  /** Findings about no spoke. */
  readonly findings?: MessageDeltas;
}

/** Compares two analysed configs of one target. The order of rules does not count, nor does the text of a `reason`. */
export function compareConfigs(from: ComparedConfig, to: ComparedConfig): ConfigDelta {
  const hub = { from: from.analysis.hubVersion, to: to.analysis.hubVersion };
  const names = (config: ComparedConfig) => config.analysis.spokes.map(({ version }) => version);
  const [added, removed] = [minus(names(to), names(from)), minus(names(from), names(to))];
  const spokes = to.analysis.spokes
    .map((after) => ({ after, before: from.analysis.spokes.find(({ version }) => version === after.version) }))
    .flatMap(({ before, after }) => (before === undefined ? [] : [compareSpoke(from, to, before, after)]))
    .filter(isChange);
  const findings = compareMessages(
    from.analysis.diagnostics.filter(({ spoke }) => spoke === undefined),
    to.analysis.diagnostics.filter(({ spoke }) => spoke === undefined),
  );
  const delta = {
    ...(hub.from !== hub.to && { hubVersionChange: hub }),
    ...(added.length > 0 && { spokesAdded: added }),
    ...(removed.length > 0 && { spokesRemoved: removed }),
    ...(spokes.length > 0 && { spokes }),
    ...(isChange(findings) && { findings }),
  };
  return { hasDeltas: Object.keys(delta).length > 0, ...delta };
}

function compareSpoke(from: ComparedConfig, to: ComparedConfig, before: SpokeAnalysis, after: SpokeAnalysis) {
  const { version } = after;
  const of = ({ analysis }: ComparedConfig) => analysis.diagnostics.filter(({ spoke }) => spoke === version);
  const directions: Direction[] = ['hubToSpoke', 'spokeToHub'];
  return {
    version,
    uncoveredHubAdded: minus(after.uncoveredHub, before.uncoveredHub),
    uncoveredHubRemoved: minus(before.uncoveredHub, after.uncoveredHub),
    uncoveredSpokeAdded: minus(after.uncoveredSpoke, before.uncoveredSpoke),
    uncoveredSpokeRemoved: minus(before.uncoveredSpoke, after.uncoveredSpoke),
    ruleClaimsAdded: claimsLeft(after.rules, before.rules),
    ruleClaimsRemoved: claimsLeft(before.rules, after.rules),
    rulesChanged: changedRules(before, rulesOf(from, version), after, rulesOf(to, version)),
    losslessChanges: directions
      .filter((direction) => before.lossless[direction] !== after.lossless[direction])
      .map((direction) => ({ direction, from: before.lossless[direction], to: after.lossless[direction] })),
    ...compareMessages(of(from), of(to)),
  } satisfies SpokeDelta;
}

/** Whether any of the lists has an entry. */
function isChange(delta: object): boolean {
  return Object.values(delta).some((value) => Array.isArray(value) && value.length > 0);
}

function compareMessages(before: readonly Diagnostic[], after: readonly Diagnostic[]): MessageDeltas {
  const texts = (all: readonly Diagnostic[], wanted: string) =>
    all.filter(({ severity }) => severity === wanted).map(({ message }) => message);
  const added = (severity: string) => minus(texts(after, severity), texts(before, severity));
  const removed = (severity: string) => minus(texts(before, severity), texts(after, severity));
  return {
    errorsAdded: added('error'),
    errorsRemoved: removed('error'),
    warningsAdded: added('warning'),
    warningsRemoved: removed('warning'),
  };
}

function minus(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return [...new Set(some)].filter((item) => !known.has(item)).sort();
}

function claimKey({ strategy, hubPaths, spokePaths }: RuleClaim): string {
  return `${strategy}|${[...hubPaths].sort().join(',')}|${[...spokePaths].sort().join(',')}`;
}

function toClaim({ strategy, hubPaths, spokePaths }: RuleClaim): RuleClaim {
  return { strategy, hubPaths, spokePaths };
}

/** The claims of some rules that others do not make as often. */
function claimsLeft(some: readonly RuleReport[], others: readonly RuleReport[]): RuleClaim[] {
  const counts = new Map<string, number>();
  for (const rule of others) counts.set(claimKey(rule), (counts.get(claimKey(rule)) ?? 0) + 1);
  const left = some.filter((rule) => {
    const count = counts.get(claimKey(rule)) ?? 0;
    counts.set(claimKey(rule), count - 1);
    return count <= 0;
  });
  return left.map(toClaim).sort((a, b) => (claimKey(a) < claimKey(b) ? -1 : 1));
}

function rulesOf({ spokes }: ComparedConfig, version: string): readonly Json[] {
  return spokes.find((spoke) => spoke.version === version)?.rules ?? [];
}

function changedRules(
  before: SpokeAnalysis,
  rulesBefore: readonly Json[],
  after: SpokeAnalysis,
  rulesAfter: readonly Json[],
): RuleClaim[] {
  const known = textsByClaim(before, rulesBefore);
  return [...textsByClaim(after, rulesAfter)]
    .filter(([key, { texts }]) => known.has(key) && known.get(key)?.texts.join() !== texts.join())
    .map(([, { claim }]) => claim);
}

/** What rules say, without their reasons, by what they claim. */
function textsByClaim({ rules }: SpokeAnalysis, raw: readonly Json[]) {
  const found = new Map<string, { claim: RuleClaim; texts: string[] }>();
  for (const rule of [...rules].sort((a, b) => (claimKey(a) < claimKey(b) ? -1 : 1))) {
    const entry = found.get(claimKey(rule)) ?? { claim: toClaim(rule), texts: [] };
    entry.texts = [...entry.texts, textOf(raw[rule.index] ?? null)].sort();
    found.set(claimKey(rule), entry);
  }
  return found;
}

function textOf(rule: Json): string {
  if (!isObject(rule)) return stringifyGoJson(rule);
  const { reason: _, ...said } = rule;
  return stringifyGoJson(said);
}
