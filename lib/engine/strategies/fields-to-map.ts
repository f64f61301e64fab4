import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { checkKeys, compileCollapse, compileExpand, keyFields, placeOfFields } from './shared/key-fields.ts';
import { keyNames, onUnknown, path } from './shared/params.ts';

const params = z.strictObject({
  hubPaths: z.array(path).check(z.minLength(1)),
  spokeMapPath: path,
  keyNames,
  onUnknownSpokeKey: onUnknown,
});

/** Hub fields become the entries of a spoke map. */
export const fieldsToMap = defineStrategy({
  name: 'FieldsToMap',
  summary: 'collects hub fields as the entries of a spoke map',
  domain: 'spoke maps that are not empty and hold only the keys of the fields',
  params,
  analyse(rule, scope) {
    const fields = rule.hubPaths.map((text) => scope.field('hub', text));
    for (const field of fields) scope.claim('hub', field);
    const map = scope.field('spoke', rule.spokeMapPath);
    scope.claimTree('spoke', map);
    scope.compareOwnership(placeOfFields(fields), map);
    const distinct = checkKeys(scope, 'hub', keyFields(rule.hubPaths, rule.keyNames), rule.keyNames);
    return { hubToSpoke: distinct, spokeToHub: rule.onUnknownSpokeKey === 'Error' };
  },
  compile(rule, compiler) {
    const fields = keyFields(rule.hubPaths, rule.keyNames);
    compileCollapse(compiler, 'hubToSpoke', fields, rule.spokeMapPath);
    compileExpand(compiler, 'spokeToHub', fields, rule.spokeMapPath, rule.onUnknownSpokeKey);
  },
});
