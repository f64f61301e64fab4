import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { flag, path } from './shared/params.ts';
import { checkStash, compileRestore, compileStash, compileStrip, stashField } from './shared/stash.ts';

const params = z.strictObject({
  spokePath: path,
  key: z.string(),
  serialization: z._default(
    z.literal('String', 'serialization=JSON is not possible for a label: only String is'),
    'String',
  ),
  stashOnReverse: flag,
});

/** Keeps a field that only the spoke has in a label of the hub. */
export const fromLabel = defineStrategy({
  name: 'FromLabel',
  summary: 'stashes a spoke-only field in a label of the hub',
  domain: 'spoke objects without that label, whose value is a label value',
  params,
  analyse(rule, scope) {
    checkStash(scope, stashField(scope, 'spoke', rule.spokePath), {
      store: 'labels',
      ...rule,
      restored: rule.stashOnReverse,
    });
    return { hubToSpoke: true, spokeToHub: rule.stashOnReverse };
  },
  compile(rule, compiler) {
    const stash = { store: 'labels', ...rule } as const;
    compileRestore(compiler, 'hubToSpoke', rule.spokePath, stash);
    if (rule.stashOnReverse) compileStash(compiler, 'spokeToHub', rule.spokePath, stash);
    else compileStrip(compiler, 'spokeToHub', stash);
  },
});
