import { compileGet } from '../../engine/access.ts';
import { getOwn, isArray, isObject, type Json, type JsonObject, jsonEqual } from '../../engine/json.ts';
import { parsePath } from '../../engine/path.ts';
import { at } from './definitions.ts';

/** An EnumRemap rule, which names values one by one. */
export interface EnumRule {
  readonly spoke: string;
  /** `2`, or `2.0` in a ForEach. */
  readonly rule: string;
  readonly path: string;
  /** What happens to a value that it does not name. */
  readonly policy: string;
  /** The values of an object at the hub that it does not name. */
  readonly unmapped: (object: JsonObject) => readonly Json[];
}

type Values = (object: JsonObject) => readonly Json[];

/** The EnumRemap rules of a config, nested ones too. One with `when` is left out: its values may never meet it. */
export function enumRules(
  spokes: readonly { readonly version: string; readonly rules: readonly Json[] }[],
): readonly EnumRule[] {
  return spokes.flatMap(({ version, rules }) =>
    find(rules, (object) => [object], '').map((rule) => ({ spoke: version, ...rule })),
  );
}

function find(rules: readonly Json[], scope: Values, prefix: string): Omit<EnumRule, 'spoke'>[] {
  return rules.flatMap((rule, index): Omit<EnumRule, 'spoke'>[] => {
    if (!isObject(rule) || getOwn(rule, 'when') !== undefined) return [];
    const name = `${prefix}${index}`;
    const [each, remap] = [getOwn(rule, 'forEach'), getOwn(rule, 'enumRemap')];
    const nested = at(each, 'rules');
    const items = at(each, 'hubItemsPath');
    if (isArray(nested) && typeof items === 'string') return find(nested, inside(scope, items, true), `${name}.`);
    const [path, mapping] = [at(remap, 'path'), at(remap, 'mapping')];
    if (typeof path !== 'string' || !isArray(mapping)) return [];
    const known = mapping.map((entry) => at(entry, 'hub'));
    const read = inside(scope, path, false);
    const unmapped: Values = (object) =>
      read(object).filter((value) => value !== null && !known.some((other) => jsonEqual(value, other)));
    return [{ rule: name, path, policy: String(at(remap, 'onUnmappedHubValue') ?? 'Error'), unmapped }];
  });
}

/** The values at a path of each value of a scope; of a list its elements. */
function inside(scope: Values, path: string, list: boolean): Values {
  const get = compileGet(parsePath(path));
  return (object) =>
    scope(object).flatMap((value) => {
      const found = isObject(value) ? get(value) : undefined;
      if (found === undefined) return [];
      if (!list) return [found];
      return isArray(found) ? [...found] : [];
    });
}
