import * as z from 'zod/mini';
import { defineStrategy, LOSSLESS } from '../strategy.ts';
import { mapBoth } from './shared/mapping.ts';
import { paths } from './shared/params.ts';

const params = z.strictObject(paths);

/** Moves a field with everything in it, whatever its shape. */
export const fieldRename = defineStrategy({
  name: 'FieldRename',
  summary: 'moves a value between two paths of the same kind',
  domain: 'every value',
  params,
  analyse({ hubPath, spokePath }, scope) {
    const hub = scope.field('hub', hubPath);
    const spoke = scope.field('spoke', spokePath);
    scope.claim('hub', hub);
    scope.claim('spoke', spoke);
    scope.compareOwnership(hub, spoke);
    if (hub === undefined || spoke === undefined) return LOSSLESS;
    if (hub.kind === spoke.kind) scope.compareInner(hub, spoke);
    else {
      const message = `${hubPath} is ${hub.kind} on the hub, ${spokePath} is ${spoke.kind} on the spoke`;
      scope.error('KIND_MISMATCH', message, { path: hubPath, hint: 'use TypeCoerce, or a strategy for that shape' });
    }
    return LOSSLESS;
  },
  compile(rule, compiler) {
    mapBoth(compiler, rule, { hubToSpoke: (value) => value, spokeToHub: (value) => value });
  },
});
