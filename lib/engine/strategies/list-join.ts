import * as z from 'zod/mini';
import { parsePath } from '../path.ts';
import { defineStrategy, LOSSLESS } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { paths } from './shared/params.ts';
import { claimSeparated, itemKind, joinList, splitList } from './shared/separated-list.ts';

const params = z.strictObject({ ...paths, separator: z.string() });

/** A hub list becomes one spoke string. */
export const listJoin = defineStrategy({
  name: 'ListJoin',
  summary: 'joins a hub list of scalars into a spoke string',
  domain: 'lists whose elements are not empty and share no character with the separator',
  params,
  analyse({ hubPath, spokePath }, scope) {
    claimSeparated(scope, { list: 'hub', text: 'spoke' }, { list: hubPath, text: spokePath });
    return LOSSLESS;
  },
  compile(rule, compiler) {
    const item = itemKind(compiler.node('hub', parsePath(rule.hubPath)) ?? {});
    mapBoth(compiler, rule, { hubToSpoke: joinList(rule.separator), spokeToHub: splitList(rule.separator, item) });
  },
});
