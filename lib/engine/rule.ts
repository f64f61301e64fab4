import { getOwn, isObject, type Json, type JsonObject } from './json.ts';
import { strategies } from './strategies/index.ts';
import type { BoundRule, Issue, Strategy } from './strategy.ts';

/** A condition on the object that is converted: `path` present and equal to `equals`. */
export interface When {
  readonly path: string;
  readonly equals: Json;
}

/** One parsed entry of a config's `rules`. */
export interface Rule {
  readonly index: number;
  readonly strategy: string;
  /** The key of its parameters. */
  readonly block: string;
  readonly bound: BoundRule;
  readonly when: When | undefined;
  readonly acknowledgeLossy: boolean;
}

export interface RuleIssue {
  readonly code: string;
  readonly strategy?: string;
  /** Where in the rule, such as `fieldRename.hubPath`. */
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

const BY_NAME = new Map(strategies.map((strategy) => [strategy.name, strategy]));
const BLOCKS = new Set(strategies.map((strategy) => strategy.block));
const COMMON = new Set(['strategy', 'acknowledgeLossy', 'reason', 'when']);

/**
 * Parses one rule: every problem of its form at once, and the rule as well where its parameters can be read, so that
 * its fields are judged too.
 */
export function parseRule(raw: Json, index: number): { rule?: Rule; issues: readonly RuleIssue[] } {
  if (!isObject(raw)) {
    return { issues: [issue('RULE_MALFORMED', '', 'a rule must be an object', 'write `strategy` and its parameters')] };
  }
  const strategy = findStrategy(getOwn(raw, 'strategy'));
  const whenFaults = whenIssues(getOwn(raw, 'when'));
  const issues = [...envelopeIssues(raw), ...whenFaults];
  if ('code' in strategy) return { issues: [strategy, ...issues] };
  const { name, block, parameters } = strategy;
  issues.push(...blockIssues(raw, strategy));
  const bound = bindParams(strategy, getOwn(raw, block));
  for (const { path, message } of bound.issues) {
    const at = path === '' ? block : `${block}.${path}`;
    issues.push(issue('PARAMS_INVALID', at, message, `${block} takes: ${parameters.join(', ')}`));
  }
  const named = issues.map((found) => ({ ...found, strategy: name }));
  if (bound.rule === undefined) return { issues: named };
  const when = whenFaults.length > 0 ? undefined : (getOwn(raw, 'when') as When | undefined);
  const acknowledgeLossy = getOwn(raw, 'acknowledgeLossy') === true;
  return { rule: { index, strategy: name, block, bound: bound.rule, when, acknowledgeLossy }, issues: named };
}

/** Unknown keys are reported and left out; any other fault leaves no rule. */
function bindParams(strategy: Strategy, params: Json | undefined): { rule?: BoundRule; issues: readonly Issue[] } {
  if (params === undefined) return { issues: [] };
  const bound = strategy.bind(params);
  if (!('issues' in bound)) return { rule: bound.rule, issues: [] };
  const { issues } = bound;
  if (!isObject(params) || issues.some((found) => found.unknown === undefined || found.path !== '')) return { issues };
  const unknown = new Set(issues.flatMap((found) => found.unknown ?? []));
  const again = strategy.bind(Object.fromEntries(Object.entries(params).filter(([key]) => !unknown.has(key))));
  return 'issues' in again ? { issues } : { issues, rule: again.rule };
}

function issue(code: string, path: string, message: string, hint: string): RuleIssue {
  return { code, path, message, hint };
}

function findStrategy(name: Json | undefined): Strategy | RuleIssue {
  const strategy = typeof name === 'string' ? BY_NAME.get(name) : undefined;
  if (strategy !== undefined) return strategy;
  const known = [...BY_NAME.keys()].join(', ');
  const what = typeof name === 'string' ? `unknown strategy "${name}"` : '`strategy` must be the name of a strategy';
  return issue('STRATEGY_UNKNOWN', 'strategy', what, `use one of: ${known}`);
}

function envelopeIssues(raw: JsonObject): RuleIssue[] {
  const issues: RuleIssue[] = [];
  const expect = (key: string, type: 'boolean' | 'string'): void => {
    const value = getOwn(raw, key);
    if (value === undefined || typeof value === type) return;
    issues.push(issue('RULE_MALFORMED', key, `\`${key}\` must be a ${type}`, `write a ${type}, or leave it out`));
  };
  expect('acknowledgeLossy', 'boolean');
  expect('reason', 'string');
  for (const key of Object.keys(raw)) {
    if (COMMON.has(key) || BLOCKS.has(key)) continue;
    issues.push(issue('RULE_MALFORMED', key, `unknown key "${key}"`, `remove it, or check its spelling`));
  }
  return issues;
}

function whenIssues(when: Json | undefined): RuleIssue[] {
  if (when === undefined) return [];
  const hint = 'write `when: {path: spec.mode, equals: advanced}`';
  if (!isObject(when)) return [issue('WHEN_INVALID', 'when', '`when` must be an object', hint)];
  const issues = Object.keys(when)
    .filter((key) => key !== 'path' && key !== 'equals')
    .map((key) => issue('WHEN_INVALID', `when.${key}`, `unknown key "${key}"`, hint));
  const path = getOwn(when, 'path');
  if (typeof path !== 'string' || path.trim() === '') {
    issues.push(issue('WHEN_INVALID', 'when.path', '`when.path` is empty', hint));
  }
  if (getOwn(when, 'equals') === undefined) {
    issues.push(issue('WHEN_INVALID', 'when.equals', '`when.equals` is missing', hint));
  }
  return issues;
}

function blockIssues(raw: JsonObject, strategy: Strategy): RuleIssue[] {
  const extra = Object.keys(raw).filter((key) => BLOCKS.has(key) && key !== strategy.block);
  const issues = extra.map((key) =>
    issue('PARAMS_EXTRA', key, `parameters of another strategy: \`${key}\``, `keep only \`${strategy.block}\``),
  );
  if (getOwn(raw, strategy.block) === undefined) {
    const message = `the parameters of ${strategy.name} are missing`;
    issues.push(issue('PARAMS_MISSING', strategy.block, message, `add \`${strategy.block}:\` with its parameters`));
  }
  return issues;
}
