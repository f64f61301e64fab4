import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { flag, path } from './shared/params.ts';
import { checkStash, compileRestore, compileStash, compileStrip, stashField } from './shared/stash.ts';

const params = z.strictObject({
  hubPath: path,
  key: z.string().check(z.minLength(1)),
  serialization: z._default(z.enum(['JSON', 'String']), 'JSON'),
  restoreOnReverse: flag,
});

/** Keeps a field that only the hub has in an annotation of the spoke. */
export const toAnnotation = defineStrategy({
  name: 'ToAnnotation',
  summary: 'stashes a hub-only field in an annotation of the spoke',
  domain: 'hub objects without that annotation; with serialization String, strings',
  params,
  analyse(rule, scope) {
    checkStash(scope, stashField(scope, 'hub', rule.hubPath), {
      store: 'annotations',
      ...rule,
      restored: rule.restoreOnReverse,
    });
    return { hubToSpoke: true, spokeToHub: rule.restoreOnReverse };
  },
  compile(rule, compiler) {
    const stash = { store: 'annotations', ...rule } as const;
    compileStash(compiler, 'hubToSpoke', rule.hubPath, stash);
    if (rule.restoreOnReverse) compileRestore(compiler, 'spokeToHub', rule.hubPath, stash);
    else compileStrip(compiler, 'spokeToHub', stash);
  },
});
