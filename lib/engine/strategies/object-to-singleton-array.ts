import * as z from 'zod/mini';
import { isSingleton } from '../schema.ts';
import { defineStrategy } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { onWrongShape, paths } from './shared/params.ts';
import { compareElement, enclose, first } from './shared/singleton.ts';

const params = z.strictObject({ ...paths, onWrongShape });

/** A hub object becomes a spoke list of one. */
export const objectToSingletonArray = defineStrategy({
  name: 'ObjectToSingletonArray',
  summary: 'encloses a hub object as the only element of a spoke list',
  domain: 'spoke lists of exactly one element',
  params,
  analyse({ hubPath, spokePath }, scope) {
    const spoke = scope.field('spoke', spokePath);
    const hub = scope.field('hub', hubPath);
    scope.claimTree('hub', hub);
    scope.claim('spoke', spoke);
    compareElement(scope, { list: 'spoke', field: spoke }, hub);
    scope.compareOwnership(hub, spoke);
    return { hubToSpoke: true, spokeToHub: spoke === undefined || isSingleton(spoke.node) };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, { hubToSpoke: enclose, spokeToHub: first(rule.onWrongShape) });
  },
});
