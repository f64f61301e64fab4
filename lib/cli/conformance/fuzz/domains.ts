import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { type Path, parsePath } from '../../../engine/path.ts';
import { itemsOf, type Kind, lookup, shapeOf } from '../../../engine/schema.ts';
import type { Side } from '../../../engine/strategy.ts';
import { HOSTILE } from './hostile-values.ts';
import { DOMAINS } from './strategy-domains.ts';
import type { Fc, Values } from './values.ts';

/** What a rule takes, as a change to the values that the schema allows for one of its fields. */
export type Domain = (given: {
  readonly fc: Fc;
  readonly node: JsonObject;
  readonly values: Values;
  /** Maps with some of these keys, for free-form nodes. */
  readonly withKeys: (keys: readonly string[]) => Values;
}) => Values;

/** What a rule says of its fields. */
export type Fields = readonly (readonly [path: string, Domain])[];

/** `within` what the rules carry, or `beyond`: whatever the schema allows. */
export type Range = 'within' | 'beyond';

/** The domains of a side's fields, by path. */
export interface DomainTree {
  readonly domains: Domain[];
  readonly fields: Map<string, DomainTree>;
  items?: DomainTree;
}

export interface RuleSide {
  readonly side: Side;
  /** What the rule says: its parameters. */
  readonly params: JsonObject;
  /** The type of a field of either side. */
  readonly kindOf: (side: Side, path: string) => Kind;
}

interface Schemas {
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
}

/** What the fields of the rules of one spoke hold on one side. */
export function domainTree(rules: readonly Json[], schemas: Schemas, side: Side, range: Range): DomainTree {
  const table = range === 'within' ? DOMAINS : HOSTILE;
  const root: DomainTree = { domains: [], fields: new Map() };
  for (const rule of rules) {
    if (!isObject(rule)) continue;
    addWhen(root, rule);
    const params = paramsOf(rule);
    if (params === undefined) continue;
    const strategy = String(getOwn(rule, 'strategy'));
    if (strategy === 'ForEach') addItems(root, params, { schemas, side, range });
    const domains = Object.hasOwn(table, strategy) ? table[strategy] : undefined;
    const kindOf: RuleSide['kindOf'] = (of, path) => shapeOf(nodeAt(schemas[of], parsePath(path))).kind;
    for (const [path, domain] of domains?.({ side, params, kindOf }) ?? [])
      at(root, parsePath(path)).domains.push(domain);
  }
  return root;
}

/** Whether any field of a tree has a domain. */
export function isBounded({ domains, fields, items }: DomainTree): boolean {
  return domains.length > 0 || (items !== undefined && isBounded(items)) || [...fields.values()].some(isBounded);
}

/** The part of a tree below a path. */
export function subtree(tree: DomainTree | undefined, path: Path): DomainTree | undefined {
  return path.reduce<DomainTree | undefined>((node, key) => node?.fields.get(key), tree);
}

function paramsOf(rule: JsonObject): JsonObject | undefined {
  const block = Object.keys(rule).find((key) => !['strategy', 'when', 'reason', 'acknowledgeLossy'].includes(key));
  const params = block === undefined ? undefined : rule[block];
  return isObject(params) ? params : undefined;
}

/** Half of the objects fulfil a condition, so that the rule has something to do. */
function addWhen(root: DomainTree, rule: JsonObject): void {
  const when = getOwn(rule, 'when');
  if (!isObject(when)) return;
  const [path, equals] = [getOwn(when, 'path'), getOwn(when, 'equals')];
  if (typeof path !== 'string' || equals === undefined) return;
  at(root, parsePath(path)).domains.push(({ fc, values }) => fc.oneof(fc.constant(equals), values));
}

interface Where {
  readonly schemas: Schemas;
  readonly side: Side;
  readonly range: Range;
}

function addItems(root: DomainTree, params: JsonObject, { schemas, side, range }: Where): void {
  const [hub, spoke] = [String(params['hubItemsPath']), String(params['spokeItemsPath'])];
  const items = {
    hub: itemsOf(nodeAt(schemas.hub, parsePath(hub))) ?? {},
    spoke: itemsOf(nodeAt(schemas.spoke, parsePath(spoke))) ?? {},
  };
  const rules = getOwn(params, 'rules');
  at(root, parsePath(side === 'hub' ? hub : spoke)).items = domainTree(isArray(rules) ? rules : [], items, side, range);
}

function at(root: DomainTree, path: Path): DomainTree {
  let tree = root;
  for (const key of path) {
    const child: DomainTree = tree.fields.get(key) ?? { domains: [], fields: new Map() };
    tree.fields.set(key, child);
    tree = child;
  }
  return tree;
}

function nodeAt(schema: JsonObject, path: Path): JsonObject {
  const found = lookup(schema, path);
  return 'node' in found ? found.node : {};
}
