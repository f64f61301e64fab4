import * as z from 'zod/mini';
import { isSingleton } from '../schema.ts';
import { defineStrategy } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { onWrongShape, paths } from './shared/params.ts';
import { compareElement, enclose, first } from './shared/singleton.ts';

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
    const spoke = scope.field('spoke', spokePath);
    scope.claimTree('spoke', spoke);
    compareElement(scope, { list: 'hub', field: hub }, spoke);
    scope.compareOwnership(hub, spoke);
    return { hubToSpoke: hub === undefined || isSingleton(hub.node), spokeToHub: true };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, { hubToSpoke: first(rule.onWrongShape), spokeToHub: enclose });
  },
});
