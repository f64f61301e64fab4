import * as z from 'zod/mini';
import { parsePath } from '../path.ts';
import { defineStrategy, LOSSLESS } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { paths } from './shared/params.ts';
import { claimSeparated, itemKind, joinList, splitList } from './shared/separated-list.ts';

const params = z.strictObject({ ...paths, separator: z.string() });

/** A hub string becomes a spoke list. */
export const listSplit = defineStrategy({
  name: 'ListSplit',
  summary: 'splits a hub string into a spoke list of scalars',
  domain: 'lists whose elements are not empty and share no character with the separator',
  params,
  analyse({ hubPath, spokePath }, scope) {
    claimSeparated(scope, { list: 'spoke', text: 'hub' }, { list: spokePath, text: hubPath });
    return LOSSLESS;
  },
  compile(rule, compiler) {
    const item = itemKind(compiler.node('spoke', parsePath(rule.spokePath)) ?? {});
    mapBoth(compiler, rule, { hubToSpoke: splitList(rule.separator, item), spokeToHub: joinList(rule.separator) });
  },
});
