import * as z from 'zod/mini';
import { mapBoth } from '../mapping.ts';
import { onWrongShape, paths } from '../params.ts';
import { isSingleton } from '../schema.ts';
import { enclose, first } from '../singleton.ts';
import { defineStrategy } from '../strategy.ts';

const params = z.strictObject({ ...paths, onWrongShape });

/** A hub list of one becomes a spoke object. */
export const singletonArrayToObject = defineStrategy({
  name: 'SingletonArrayToObject',
  summary: 'takes the only element of a hub list as a spoke object',
  domain: 'hub lists of exactly one element',
  params,
  analyse({ hubPath, spokePath }, scope) {
    const hub = scope.field('hub', hubPath);
    scope.claim('hub', hub);
    scope.claimTree('spoke', scope.field('spoke', spokePath));
    return { hubToSpoke: hub === undefined || isSingleton(hub.node), spokeToHub: true };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, { hubToSpoke: first(rule.onWrongShape), spokeToHub: enclose });
  },
});
