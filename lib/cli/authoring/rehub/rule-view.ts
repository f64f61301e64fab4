import { getOwn, isArray, isObject, type Json, type JsonObject, setOwn } from '../../../engine/json.ts';
import { type Path, parsePath, renderPath } from '../../../engine/path.ts';
import type { When } from '../../../engine/rule.ts';
import { strategies } from '../../../engine/strategies/index.ts';
import type { Side } from '../../../engine/strategy.ts';
import { parsePointer } from '../../../engine/values/json-pointer.ts';

/** Where a rule stands in a config; a nested one stands where the outermost rule around it does. */
export interface Standing {
  readonly spoke: string;
  readonly index?: number;
}

/** One rule whose form is right. */
export interface RuleView extends Standing {
  readonly strategy: string;
  readonly params: JsonObject;
  readonly when?: When | undefined;
  readonly acknowledgeLossy: boolean;
  readonly reason?: string | undefined;
}

/** The parameters that name fields of one side, whatever the strategy. */
const FIELD_PARAMS: Readonly<Record<Side, readonly string[]>> = {
  hub: ['hubPath', 'hubPaths', 'hubMapPath', 'hubFields', 'hubItemsPath'],
  spoke: ['spokePath', 'spokePaths', 'spokeMapPath', 'spokeFields', 'spokeItemsPath'],
};
/** Where a stash keeps the value of its field: on the side that has no field for it. */
const STASHES: Readonly<Record<string, { readonly side: Side; readonly store: string }>> = {
  ToAnnotation: { side: 'spoke', store: 'annotations' },
  ToLabel: { side: 'spoke', store: 'labels' },
  FromAnnotation: { side: 'hub', store: 'annotations' },
  FromLabel: { side: 'hub', store: 'labels' },
};
const STRATEGIES = new Map(strategies.map((strategy) => [strategy.name, strategy]));

export function viewsOf(rules: readonly Json[], { spoke, index }: Standing): RuleView[] {
  return rules.map((raw, at) => {
    const rule = raw as JsonObject;
    const strategy = String(getOwn(rule, 'strategy'));
    return {
      spoke,
      index: index ?? at,
      strategy,
      params: getOwn(rule, STRATEGIES.get(strategy)?.block ?? '') as JsonObject,
      when: getOwn(rule, 'when') as When | undefined,
      acknowledgeLossy: getOwn(rule, 'acknowledgeLossy') === true,
      reason: getOwn(rule, 'reason') as string | undefined,
    };
  });
}

/** The rule as it is written in a config; parameters in the order of the strategy's documentation. */
export function renderRule({ strategy, params, when, acknowledgeLossy, reason }: RuleView): JsonObject {
  const { block = '', parameters = [] } = STRATEGIES.get(strategy) ?? {};
  const ordered = parameters.filter((name) => Object.hasOwn(params, name)).map((name) => [name, params[name] as Json]);
  return {
    strategy,
    ...(acknowledgeLossy && { acknowledgeLossy }),
    ...(reason !== undefined && { reason }),
    ...(when !== undefined && { when: { path: when.path, equals: when.equals } }),
    [block]: Object.fromEntries(ordered),
  };
}

/** Everything that the rule reads or writes on one side, metadata keys included. */
export function placesOf({ strategy, params }: RuleView, side: Side): Path[] {
  if (strategy === 'JSONPatch') return pointersOf(params);
  const stash = STASHES[strategy];
  if (stash?.side === side) return [['metadata', stash.store, String(params['key'])]];
  const path = getOwn(params, 'path');
  if (typeof path === 'string') return ownsPath(params, side) ? [parsePath(path)] : [];
  return FIELD_PARAMS[side].flatMap((name) => textsOf(getOwn(params, name))).map(parsePath);
}

/** The rule with its fields of one side at other paths; undefined when it has no way to say so. */
export function movePlaces(view: RuleView, side: Side, move: (path: Path) => Path): RuleView | undefined {
  const moved = (text: string): string => renderPath(move(parsePath(text)));
  if (placesOf(view, side).every((path) => renderPath(move(path)) === renderPath(path))) return view;
  const { params, strategy } = view;
  if (strategy === 'JSONPatch' || strategy === 'CEL' || STASHES[strategy]?.side === side) return undefined;
  const path = getOwn(params, 'path');
  if (typeof path === 'string') {
    return getOwn(params, 'existsOn') === undefined ? undefined : { ...view, params: { ...params, path: moved(path) } };
  }
  const entries = Object.entries(params).map(([name, value]): [string, Json] =>
    FIELD_PARAMS[side].includes(name) ? [name, mapTexts(value, moved)] : [name, value],
  );
  return { ...view, params: { ...Object.fromEntries(entries), ...movedKeys(params, side, moved) } };
}

/** `keyNames` are by path, and a field without an entry has the last segment of its path as key: keys stay as they are. */
function movedKeys(params: JsonObject, side: Side, moved: (text: string) => string): JsonObject {
  const list = getOwn(params, side === 'hub' ? 'hubPaths' : 'spokePaths');
  if (!isArray(list) || Object.hasOwn(params, 'hubToSpoke')) return {};
  const given = (getOwn(params, 'keyNames') ?? {}) as JsonObject;
  const names: Record<string, Json> = {};
  for (const text of list as readonly string[]) {
    const key = getOwn(given, text) || lastOf(text);
    const target = moved(text);
    if (Object.hasOwn(given, text) || key !== lastOf(target)) setOwn(names, target, key);
  }
  return Object.keys(names).length === 0 ? {} : { keyNames: names };
}

function lastOf(text: string): string {
  return parsePath(text).at(-1) ?? '';
}

function ownsPath(params: JsonObject, side: Side): boolean {
  const existsOn = getOwn(params, 'existsOn');
  return existsOn === undefined || existsOn === (side === 'hub' ? 'Hub' : 'Spoke');
}

function pointersOf(params: JsonObject): Path[] {
  const operations = ['hubToSpoke', 'spokeToHub'].flatMap((name) => (getOwn(params, name) ?? []) as JsonObject[]);
  return operations
    .flatMap(({ path, from }) => (typeof from === 'string' ? [String(path), from] : [String(path)]))
    .flatMap((pointer) => {
      const parsed = parsePointer(pointer);
      return 'tokens' in parsed ? [parsed.tokens] : [];
    });
}

/** A parameter that names fields is a path, a list of them, or a map to them. */
function textsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (isArray(value)) return value as string[];
  return isObject(value) ? (Object.values(value) as string[]) : [];
}

function mapTexts(value: Json, moved: (text: string) => string): Json {
  if (typeof value === 'string') return moved(value);
  if (isArray(value)) return value.map((item) => moved(item as string));
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, item]) => [key, moved(item as string)]));
}
