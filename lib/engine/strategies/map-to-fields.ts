import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { checkKeys, compileCollapse, compileExpand, keyFields, placeOfFields } from './shared/key-fields.ts';
import { keyNames, onUnknown, path } from './shared/params.ts';

const params = z.strictObject({
  hubMapPath: path,
  spokePaths: z.array(path).check(z.minLength(1)),
  keyNames,
  onUnknownHubKey: onUnknown,
});

/** The entries of a hub map become spoke fields. */
export const mapToFields = defineStrategy({
  name: 'MapToFields',
  summary: 'spreads the entries of a hub map over spoke fields',
  domain: 'hub maps that are not empty and hold only the keys of the fields',
  params,
  analyse(rule, scope) {
    const map = scope.field('hub', rule.hubMapPath);
    scope.claimTree('hub', map);
    const fields = rule.spokePaths.map((text) => scope.field('spoke', text));
    for (const field of fields) scope.claim('spoke', field);
    scope.compareOwnership(map, placeOfFields(fields));
    const distinct = checkKeys(scope, 'spoke', keyFields(rule.spokePaths, rule.keyNames), rule.keyNames);
    return { hubToSpoke: rule.onUnknownHubKey === 'Error', spokeToHub: distinct };
  },
  compile(rule, compiler) {
    const fields = keyFields(rule.spokePaths, rule.keyNames);
    compileExpand(compiler, 'hubToSpoke', fields, rule.hubMapPath, rule.onUnknownHubKey);
    compileCollapse(compiler, 'spokeToHub', fields, rule.hubMapPath);
  },
});
