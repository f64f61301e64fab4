import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { claimInjected, compileInjected } from './shared/injected.ts';
import { existsOn, json, path } from './shared/params.ts';

const params = z.strictObject({ path, existsOn, value: json });

/** Gives a field that only one side has always the same value. */
export const constant = defineStrategy({
  name: 'Constant',
  summary: 'gives a field that only one side has a fixed value',
  domain: 'objects of the other side',
  params,
  analyse(rule, scope) {
    claimInjected(scope, rule.path, rule.existsOn);
    return { hubToSpoke: rule.existsOn === 'Spoke', spokeToHub: rule.existsOn === 'Hub' };
  },
  compile(rule, compiler) {
    compileInjected(compiler, { ...rule, keepPresent: false });
  },
});
