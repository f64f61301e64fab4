import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { defaults, onWrongShape, paths } from './shared/params.ts';
import { holdsOnly, unwrap, wrap } from './shared/wrap.ts';

const params = z.strictObject({ ...paths, key: z.string(), defaultsForOtherKeys: defaults, onWrongShape });

/** A hub scalar becomes one key of a spoke object. */
export const scalarToObject = defineStrategy({
  name: 'ScalarToObject',
  summary: 'wraps a hub value as one key of a spoke object',
  domain: 'spoke objects that hold the key and nothing else',
  params,
  analyse({ hubPath, spokePath, key }, scope) {
    const spoke = scope.field('spoke', spokePath);
    scope.claim('hub', scope.field('hub', hubPath));
    scope.claimTree('spoke', spoke);
    return { hubToSpoke: true, spokeToHub: holdsOnly(spoke, key) };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, {
      hubToSpoke: wrap(rule.key, rule.defaultsForOtherKeys),
      spokeToHub: unwrap(rule.key, rule.onWrongShape),
    });
  },
});
