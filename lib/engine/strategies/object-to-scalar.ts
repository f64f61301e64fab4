import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { defaults, onWrongShape, paths } from './shared/params.ts';
import { holdsOnly, unwrap, warnHubDefaults, wrap } from './shared/wrap.ts';

const params = z.strictObject({ ...paths, key: z.string(), defaultsForOtherKeys: defaults, onWrongShape });

/** One key of a hub object becomes a spoke scalar. */
export const objectToScalar = defineStrategy({
  name: 'ObjectToScalar',
  summary: 'unwraps one key of a hub object into a spoke value',
  domain: 'hub objects that hold the key and nothing else',
  params,
  analyse({ hubPath, spokePath, key, defaultsForOtherKeys }, scope) {
    const hub = scope.field('hub', hubPath);
    scope.claimTree('hub', hub);
    scope.claim('spoke', scope.field('spoke', spokePath));
    warnHubDefaults(scope, hubPath, defaultsForOtherKeys);
    return { hubToSpoke: holdsOnly(hub, key), spokeToHub: true };
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, {
      hubToSpoke: unwrap(rule.key, rule.onWrongShape),
      spokeToHub: wrap(rule.key, rule.defaultsForOtherKeys),
    });
  },
});
