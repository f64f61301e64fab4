import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { toList, toMap } from './shared/keyed-list.ts';
import { mapBoth } from './shared/mapping.ts';
import { paths } from './shared/params.ts';

const params = z.strictObject({ ...paths, keyField: z.string().check(z.minLength(1)) });

/** A hub map of objects becomes a spoke list, with each key as a field. */
export const mapToArrayByKey = defineStrategy({
  name: 'MapToArrayByKey',
  summary: 'turns a hub map of objects into a spoke list with the keys as a field; the order of the list is lost',
  domain: 'lists sorted by a key that is unique',
  params,
  analyse({ hubPath, spokePath }, scope) {
    const hub = scope.field('hub', hubPath);
    const spoke = scope.field('spoke', spokePath);
    scope.claim('hub', hub);
    scope.claim('spoke', spoke);
    scope.compareOwnership(hub, spoke);
    return { hubToSpoke: false, spokeToHub: true };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, { hubToSpoke: toList(rule.keyField), spokeToHub: toMap(rule.keyField) });
  },
});
