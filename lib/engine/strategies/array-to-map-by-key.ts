import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { toList, toMap } from './shared/keyed-list.ts';
import { mapBoth } from './shared/mapping.ts';
import { paths } from './shared/params.ts';

const params = z.strictObject({ ...paths, keyField: z.string().check(z.minLength(1)) });

/** A hub list of objects becomes a spoke map under one of their fields. */
export const arrayToMapByKey = defineStrategy({
  name: 'ArrayToMapByKey',
  summary: 'turns a hub list of objects into a spoke map by a key field; the order of the list is lost',
  domain: 'lists sorted by a key that is unique',
  params,
  analyse({ hubPath, spokePath }, scope) {
    const hub = scope.field('hub', hubPath);
    const spoke = scope.field('spoke', spokePath);
    scope.claim('hub', hub);
    scope.claim('spoke', spoke);
    scope.compareOwnership(hub, spoke);
    return { hubToSpoke: true, spokeToHub: false };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, { hubToSpoke: toMap(rule.keyField), spokeToHub: toList(rule.keyField) });
  },
});
