import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { flag, path } from './shared/params.ts';
import { checkStash, compileRestore, compileStash, compileStrip, stashField } from './shared/stash.ts';

const params = z.strictObject({
  spokePath: path,
  key: z.string().check(z.minLength(1)),
  serialization: z._default(z.enum(['JSON', 'String']), 'JSON'),
  stashOnReverse: flag,
});

/** Keeps a field that only the spoke has in an annotation of the hub. */
export const fromAnnotation = defineStrategy({
  name: 'FromAnnotation',
  summary: 'stashes a spoke-only field in an annotation of the hub',
  domain: 'spoke objects without that annotation; with serialization String, strings',
  params,
  analyse(rule, scope) {
    checkStash(scope, stashField(scope, 'spoke', rule.spokePath), {
      store: 'annotations',
      ...rule,
      restored: rule.stashOnReverse,
    });
    return { hubToSpoke: true, spokeToHub: rule.stashOnReverse };
  },
  compile(rule, compiler) {
    const stash = { store: 'annotations', ...rule } as const;
    compileRestore(compiler, 'hubToSpoke', rule.spokePath, stash);
    if (rule.stashOnReverse) compileStash(compiler, 'spokeToHub', rule.spokePath, stash);
    else compileStrip(compiler, 'spokeToHub', stash);
  },
});
