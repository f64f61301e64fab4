import { RuleError } from '../../conversion-error.ts';
import { jsonType } from '../../json.ts';
import { parsePath } from '../../path.ts';
import { shapeOf } from '../../schema.ts';
import { LOSSY, type Lossless, type RuleCompiler, type RuleScope } from '../../strategy.ts';
import { type Convert, mapBoth, nullable } from './mapping.ts';

/** How a unit is written as a string and counted as an integer. */
export interface Unit {
  readonly parse: (text: string) => number | bigint;
  readonly format: (count: number | bigint) => string;
  /** A text and how it comes back, for the warning that the spelling changes. */
  readonly example: readonly [string, string];
}

type Paths = { readonly hubPath: string; readonly spokePath: string };

/** Claims both sides: a string on exactly one, an integer on the other. Towards the string the spelling is lost. */
export function analyseUnit(scope: RuleScope, { hubPath, spokePath }: Paths, unit: Unit): Lossless {
  const hub = scope.field('hub', hubPath);
  const spoke = scope.field('spoke', spokePath);
  scope.claim('hub', hub);
  scope.claim('spoke', spoke);
  if (hub === undefined || spoke === undefined) return LOSSY;
  const kinds = `${hub.kind}/${spoke.kind}`;
  if (kinds !== 'string/integer' && kinds !== 'integer/string') {
    const message = `${hubPath} is ${hub.kind} on the hub and ${spokePath} is ${spoke.kind} on the spoke`;
    scope.error('UNIT_KINDS', message, { path: hubPath, hint: 'one side must be a string, the other an integer' });
    return LOSSY;
  }
  const [before, after] = unit.example;
  const message = `the way back writes the canonical form: "${before}" returns as "${after}"`;
  const hint = 'write the canonical form into objects, or tools that compare texts will see drift';
  scope.warn('SPELLING_CHANGES', message, { path: hubPath, hint });
  return { hubToSpoke: spoke.kind === 'integer', spokeToHub: hub.kind === 'integer' };
}

export function compileUnit(compiler: RuleCompiler, rule: Paths, unit: Unit): void {
  const hubIsText = shapeOf(compiler.node('hub', parsePath(rule.hubPath)) ?? {}).kind === 'string';
  const parse = parser(unit);
  const format = formatter(unit);
  mapBoth(compiler, rule, { hubToSpoke: hubIsText ? parse : format, spokeToHub: hubIsText ? format : parse });
}

function parser(unit: Unit): Convert {
  return nullable((value) => {
    if (typeof value === 'string') return unit.parse(value);
    throw new RuleError(`expected a string, found ${jsonType(value)}`);
  });
}

function formatter(unit: Unit): Convert {
  return nullable((value) => {
    if (typeof value === 'number' || typeof value === 'bigint') return unit.format(value);
    throw new RuleError(`expected a number, found ${jsonType(value)}`);
  });
}
