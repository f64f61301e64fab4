import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { flag, path } from './shared/params.ts';
import { checkStash, compileRestore, compileStash, compileStrip, stashField } from './shared/stash.ts';

const params = z.strictObject({
  hubPath: path,
  key: z.string(),
  serialization: z._default(z.enum(['JSON', 'String']), 'JSON'),
  restoreOnReverse: flag,
});

/** Keeps a field that only the hub has in a label of the spoke. */
export const toLabel = defineStrategy({
  name: 'ToLabel',
  summary: 'stashes a hub-only field in a label of the spoke',
  domain: 'hub objects without that label, whose value is a label value',
  params,
  analyse(rule, scope) {
    checkStash(scope, stashField(scope, 'hub', rule.hubPath), {
      store: 'labels',
      ...rule,
      restored: rule.restoreOnReverse,
    });
    return { hubToSpoke: true, spokeToHub: rule.restoreOnReverse };
  },
  compile(rule, compiler) {
    const stash = { store: 'labels', ...rule } as const;
    compileStash(compiler, 'hubToSpoke', rule.hubPath, stash);
    if (rule.restoreOnReverse) compileRestore(compiler, 'spokeToHub', rule.hubPath, stash);
    else compileStrip(compiler, 'spokeToHub', stash);
  },
});
