import { getOwn, isArray, isObject, type JsonObject } from '../../../engine/json.ts';
import type { Domain, Fields, RuleSide } from './domains.ts';

/**
 * For strategies whose domain random values hardly ever leave: values that lie outside of it. For the others what the
 * schema allows is enough.
 */
export const HOSTILE: Readonly<Record<string, (rule: RuleSide) => Fields>> = {
  ListJoin: ({ side, params }) => [[String(params[`${side}Path`]), side === 'hub' ? lists(params) : texts(params)]],
  ListSplit: ({ side, params }) => [[String(params[`${side}Path`]), side === 'spoke' ? lists(params) : texts(params)]],
  MapKeyRename: ({ side, params }) => {
    const renames = isObject(params['renames']) ? Object.entries(params['renames']) : [];
    const keys = [...new Set([...renames.flat().map(String), 'a'])];
    return [[String(params[`${side}Path`]), ({ withKeys }) => withKeys(keys)]];
  },
};

function separatorOf(params: JsonObject): string {
  const separator = getOwn(params, 'separator');
  return typeof separator === 'string' ? separator : '';
}

/** Lists with an element that holds the separator, where their elements are texts. */
function lists(params: JsonObject): Domain {
  const separator = separatorOf(params);
  return ({ fc, values, node }) => {
    const items = getOwn(node, 'items');
    if (!isObject(items) || getOwn(items, 'type') !== 'string') return values;
    const element = separator === '' ? fc.constantFrom('ab', '') : fc.constantFrom(`a${separator}b`, separator, '');
    return fc.oneof(
      values,
      fc.tuple(values, element).map(([list, more]) => (isArray(list) ? [...list.slice(0, 1), more] : list)),
    );
  };
}

/** Texts with nothing between two separators, or beside one. */
function texts(params: JsonObject): Domain {
  const separator = separatorOf(params);
  return ({ fc, values, node }) => {
    if (getOwn(node, 'type') !== 'string' || separator === '') return values;
    return fc.oneof(values, fc.constantFrom(`a${separator}${separator}b`, `a${separator}`, `${separator}a`));
  };
}
