import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { claimInjected, compileInjected } from './shared/injected.ts';
import { existsOn, json, path } from './shared/params.ts';

const params = z.strictObject({ path, existsOn, default: json });

/** Gives a field that only one side has a value, unless there is one already (Peer: overwrites; D18). */
export const defaultValue = defineStrategy({
  name: 'DefaultValue',
  summary: 'gives a field that only one side has a default',
  domain: 'objects of the other side',
  params,
  analyse(rule, scope) {
    claimInjected(scope, rule.path, rule.existsOn);
    return { hubToSpoke: rule.existsOn === 'Spoke', spokeToHub: rule.existsOn === 'Hub' };
  },
  compile(rule, compiler) {
    compileInjected(compiler, { ...rule, value: rule.default, keepPresent: true });
  },
});
