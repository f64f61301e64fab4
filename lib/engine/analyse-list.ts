import { Claims } from './claims.ts';
import { innerDifferences, innerFinding, isWellKnown } from './coverage.ts';
import type { Diagnostic } from './diagnostic.ts';
import { isArray, isObject, type Json, type JsonObject } from './json.ts';
import { atomicFindings, compareOwnership, isKeyedList, type Pair } from './ownership.ts';
import { type Path, parsePath, renderPath } from './path.ts';
import { parseRule, type Rule, type RuleIssue } from './rule.ts';
import { identical, type Leaf, leavesOf, lookup } from './schema.ts';
import { Scope } from './scope.ts';
import type { Direction, Field, Lossless, Side } from './strategy.ts';

/** How deep ForEach rules may nest, as in the peer. */
const MAX_FOREACH_DEPTH = 2;

export interface ListInput {
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  readonly rules: readonly Json[];
  readonly policy: 'Error' | 'Warn';
  /** 0 for a spoke's own list, 1 and 2 inside ForEach rules. */
  readonly depth: number;
  /** Whether managers can own fields here one by one; not in items of a list that they own as a whole. */
  readonly ownedInParts: boolean;
  /** Printed before paths in findings: the items path of the enclosing ForEach. */
  readonly prefix: Record<Side, string>;
  /** The leaves of the hub, when the caller has them already. */
  readonly hubLeaves?: readonly Leaf[];
}

export interface RuleAnalysis {
  readonly rule: Rule;
  readonly lossless: Lossless;
  /** The fields that the rule claims, printed. */
  readonly hubPaths: readonly string[];
  readonly spokePaths: readonly string[];
  /** The nested list of a ForEach. */
  readonly nested: ListAnalysis | undefined;
}

/** What analysis knows of one list of rules; `compile` builds on it and looks nothing up again. */
export interface ListAnalysis {
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  readonly rules: readonly RuleAnalysis[];
  readonly lossless: Lossless;
  readonly diagnostics: readonly Diagnostic[];
  readonly uncovered: Record<Side, readonly string[]>;
  /** Every path that identity copies must leave alone, by side: claimed or uncovered. */
  readonly taken: Record<Side, readonly Path[]>;
}

/** Analyses one list of rules on a pair of schemas: claims, coverage, losslessness, findings. Never throws. */
export function analyseList(input: ListInput): ListAnalysis {
  const diagnostics: Diagnostic[] = [];
  const claims = { hub: new Claims(), spoke: new Claims() };
  const uncovered = { hub: [] as string[], spoke: [] as string[] };
  const rules: RuleAnalysis[] = [];
  for (const [index, raw] of input.rules.entries()) {
    const { rule, issues } = parseRule(raw, index);
    diagnostics.push(...formFindings(index, issues));
    if (rule !== undefined) rules.push(analyseRule(rule, input, claims, diagnostics, uncovered));
  }
  diagnostics.push(...overlapFindings(claims, rules, input.prefix));
  const taken = { hub: claims.hub.paths(), spoke: claims.spoke.paths() };
  const copied = coverLeaves(input, claims, taken, diagnostics, uncovered);
  if (input.ownedInParts) diagnostics.push(...atomicDiagnostics(input, rules, copied));
  const all = (direction: Direction): boolean => rules.every(({ lossless }) => lossless[direction]);
  const lossless = {
    hubToSpoke: all('hubToSpoke') && uncovered.hub.length === 0,
    spokeToHub: all('spokeToHub') && uncovered.spoke.length === 0,
  };
  return { hub: input.hub, spoke: input.spoke, rules, lossless, diagnostics, uncovered, taken };
}

/** The findings about rules of which no schema is known: their form only, nested rules included. */
export function checkForm(rules: readonly Json[]): Diagnostic[] {
  return rules.flatMap((raw, index) => {
    const nested = isObject(raw) && isObject(raw['forEach']) ? raw['forEach']['rules'] : undefined;
    const inner = isArray(nested) ? checkForm(nested) : [];
    return [
      ...formFindings(index, parseRule(raw, index).issues),
      ...inner.map((found) => ({ ...found, rule: index, nested: [found.rule ?? 0, ...(found.nested ?? [])] })),
    ];
  });
}

function formFindings(rule: number, issues: readonly RuleIssue[]): Diagnostic[] {
  return issues.map((found) => ({ ...found, severity: 'error', rule, path: found.path || `rules[${rule}]` }));
}

function analyseRule(
  rule: Rule,
  input: ListInput,
  claims: Record<Side, Claims>,
  diagnostics: Diagnostic[],
  uncovered: Record<Side, string[]>,
): RuleAnalysis {
  const adopt = (found: Diagnostic): void => {
    const nested = found.rule === undefined ? [] : [found.rule, ...(found.nested ?? [])];
    const strategy = found.strategy ?? rule.strategy;
    diagnostics.push({ ...found, rule: rule.index, strategy, ...(nested.length > 0 && { nested }) });
  };
  const scope: Scope = new Scope(rule, input, claims, diagnostics, {
    checkForm: (rules) => checkForm(rules).forEach(adopt),
    analyse: (items, rules) => {
      const list = analyseItems(items, rules, input, scope);
      list?.diagnostics.forEach(adopt);
      uncovered.hub.push(...(list?.uncovered.hub ?? []));
      uncovered.spoke.push(...(list?.uncovered.spoke ?? []));
      return list;
    },
  });
  const lossless = rule.bound.analyse(scope);
  scope.checkAcknowledged(lossless);
  scope.checkWhen();
  return { rule, lossless, hubPaths: scope.claimed.hub, spokePaths: scope.claimed.spoke, nested: scope.nestedList };
}

function analyseItems(
  items: Record<Side, Field>,
  rules: readonly Json[],
  { prefix, policy, depth, ownedInParts: outer }: ListInput,
  scope: Scope,
): ListAnalysis | undefined {
  if (depth >= MAX_FOREACH_DEPTH) {
    const hint = 'convert the innermost list with CEL or JSONPatch, or leave it as it is';
    scope.error('FOREACH_TOO_DEEP', `ForEach nesting depth exceeds ${MAX_FOREACH_DEPTH}`, { hint });
    return undefined;
  }
  const inner = { hub: `${prefix.hub}${items.hub.text}.`, spoke: `${prefix.spoke}${items.spoke.text}.` };
  const [hub, spoke] = [items.hub.node['items'], items.spoke.node['items']] as [JsonObject, JsonObject];
  const ownedInParts = outer && isKeyedList(items.hub.node) && isKeyedList(items.spoke.node);
  return analyseList({ hub, spoke, rules, policy, depth: depth + 1, ownedInParts, prefix: inner });
}

function overlapFindings(
  claims: Record<Side, Claims>,
  rules: readonly RuleAnalysis[],
  prefix: Record<Side, string>,
): Diagnostic[] {
  const strategyOf = new Map(rules.map(({ rule }) => [rule.index, rule.strategy]));
  const sides: Side[] = ['hub', 'spoke'];
  return sides.flatMap((side) =>
    claims[side].overlaps().map(({ inner, outer }): Diagnostic => {
      const index = Math.max(inner.rule, outer.rule);
      const path = `${prefix[side]}${renderPath(inner.path)}`;
      return {
        code: 'CLAIMS_OVERLAP',
        severity: 'error',
        rule: index,
        strategy: strategyOf.get(index) ?? '',
        path,
        message: `${side} field ${path} (rule ${inner.rule}) lies inside ${prefix[side]}${renderPath(outer.path)} (rule ${outer.rule})`,
        hint: 'let one rule convert the container, or rules convert only its fields',
      };
    }),
  );
}

/** Copies identical leaves by leaving them alone, and reports every leaf that nothing converts (R03). */
function coverLeaves(
  input: ListInput,
  claims: Record<Side, Claims>,
  taken: Record<Side, Path[]>,
  diagnostics: Diagnostic[],
  uncovered: Record<Side, string[]>,
): Path[] {
  const spokeLeaves = leavesOf(input.spoke);
  const byText = new Map(spokeLeaves.map((leaf) => [leaf.text, leaf]));
  const copied = new Map<string, Path>();
  const report = (side: Side, leaf: Leaf): void => {
    if (input.depth === 0 && isWellKnown(leaf.path)) return;
    taken[side].push(leaf.path);
    const path = `${input.prefix[side]}${leaf.text}`;
    uncovered[side].push(path);
    diagnostics.push(uncoveredFinding(side, leaf, path, input.policy));
  };
  for (const leaf of input.hubLeaves ?? leavesOf(input.hub)) {
    if (claims.hub.covers(leaf.path, leaf.text)) continue;
    const other = byText.get(leaf.text);
    if (other === undefined || claims.spoke.covers(other.path, other.text) || !identical(leaf, other)) {
      report('hub', leaf);
      continue;
    }
    copied.set(leaf.text, leaf.path);
    reportInner(input, leaf, diagnostics);
  }
  for (const leaf of spokeLeaves) {
    if (!copied.has(leaf.text) && !claims.spoke.covers(leaf.path, leaf.text)) report('spoke', leaf);
  }
  return [...copied.values()];
}

function atomicDiagnostics(
  { hub, spoke, prefix }: ListInput,
  rules: readonly RuleAnalysis[],
  copied: readonly Path[],
): Diagnostic[] {
  const pairs = (): Pair[] => [
    ...rules.map(({ hubPaths, spokePaths }) => ({ hub: hubPaths.map(parsePath), spoke: spokePaths.map(parsePath) })),
    ...copied.map((path) => ({ hub: [path], spoke: [path] })),
  ];
  return atomicFindings({ hub, spoke }, pairs).map(({ side, path, ...found }) => {
    return { severity: 'warning', ...found, path: `${prefix[side]}${path}` };
  });
}

function uncoveredFinding(side: Side, leaf: Leaf, path: string, policy: 'Error' | 'Warn'): Diagnostic {
  const hidden = leaf.construct === undefined ? '' : ` (hidden behind ${leaf.construct})`;
  return {
    code: 'FIELD_UNCOVERED',
    severity: policy === 'Warn' ? 'warning' : 'error',
    path,
    message: `${side} field ${path}${hidden} has no rule and no identical field on the other side: it would be lost`,
    hint: 'add a rule for it, or an acknowledged Delete, or set unmappedFieldPolicy: Warn with a reason',
  };
}

function reportInner(input: ListInput, leaf: Leaf, diagnostics: Diagnostic[]): void {
  if (leaf.kind !== 'array' && leaf.kind !== 'object') return;
  const [hub, spoke] = [lookup(input.hub, leaf.path), lookup(input.spoke, leaf.path)];
  if (!('node' in hub && 'node' in spoke)) return;
  const { text } = leaf;
  const ownership = input.ownedInParts ? compareOwnership({ ...hub, text }, { ...spoke, text }) : [];
  for (const { side, path, ...found } of ownership) {
    diagnostics.push({ severity: 'warning', ...found, path: `${input.prefix[side]}${path}` });
  }
  for (const { side, path, what } of innerDifferences({ node: hub.node, text }, { node: spoke.node, text })) {
    diagnostics.push({ severity: 'warning', ...innerFinding(`${input.prefix[side]}${path}`, what) });
  }
}
