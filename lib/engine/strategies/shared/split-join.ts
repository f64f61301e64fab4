import { compileGet } from '../../access.ts';
import { RuleError, show } from '../../conversion-error.ts';
import { type Json, jsonType } from '../../json.ts';
import { library } from '../../libraries.ts';
import { parsePath } from '../../path.ts';
import { spend } from '../../run.ts';
import { isScalarKind, type ScalarKind, shapeOf } from '../../schema.ts';
import {
  type Direction,
  LOSSLESS,
  LOSSY,
  type Lossless,
  type RuleCompiler,
  type RuleScope,
  type Side,
  targetSide,
} from '../../strategy.ts';
import { coerceScalar } from '../../values/number-text.ts';

/** A scalar and the fields that its pattern's named groups make, whichever side has which. */
export interface SplitJoin {
  readonly pattern: string;
  readonly joinTemplate: string;
  readonly losslessOverride: boolean;
  readonly scalar: { readonly side: Side; readonly path: string };
  /** Group name → path. */
  readonly fields: { readonly side: Side; readonly paths: Readonly<Record<string, string>> };
}

/** Claims everything, and checks that pattern, template and fields fit together. */
export function analyseSplitJoin(scope: RuleScope, rule: SplitJoin): Lossless {
  scope.claim(rule.scalar.side, scope.field(rule.scalar.side, rule.scalar.path));
  const names = patternNames(scope, rule.pattern);
  checkTemplate(scope, rule);
  for (const [group, text] of Object.entries(rule.fields.paths)) {
    const field = scope.field(rule.fields.side, text);
    scope.claim(rule.fields.side, field);
    if (names !== undefined && !names.includes(group)) {
      const hint = `write (?P<${group}>…) in the pattern`;
      scope.error('GROUP_MISSING', `the pattern has no group named "${group}"`, {
        path: text,
        side: rule.fields.side,
        hint,
      });
    }
    if (field === undefined || isScalarKind(field.kind)) continue;
    const message = `${text} is ${field.kind}: a group's text becomes a string, integer, number or boolean`;
    const hint = 'name a field of one of these types';
    scope.error('KIND_NOT_SCALAR', message, { path: text, side: rule.fields.side, hint });
  }
  warnIncomplete(scope, rule.fields.side, Object.values(rule.fields.paths));
  scope.warn('INVERSE_UNPROVEN', 'nothing proves that pattern and template are inverse to each other', {
    path: rule.scalar.path,
    side: rule.scalar.side,
    hint: 'test them on samples; losslessOverride: true takes your word for it',
  });
  return rule.losslessOverride ? LOSSLESS : LOSSY;
}

/** Fields that only together make a value: one of them alone is none at the other version. */
export function warnIncomplete(scope: RuleScope, side: Side, paths: readonly string[]): void {
  if (paths.length < 2) return;
  const message = `${paths.join(' and ')} make one value at the other version: an apply that has only some of them loses those`;
  const hint = 'apply them together, all or none';
  scope.warn('PARTS_NEED_EACH_OTHER', message, { path: paths[0] ?? '', side, hint });
}

export function compileSplitJoin(compiler: RuleCompiler, rule: SplitJoin): void {
  const [split, join]: [Direction, Direction] =
    rule.scalar.side === 'hub' ? ['hubToSpoke', 'spokeToHub'] : ['spokeToHub', 'hubToSpoke'];
  compileSplit(compiler, split, rule);
  compileJoin(compiler, join, rule);
}

function compileSplit(compiler: RuleCompiler, direction: Direction, rule: SplitJoin): void {
  const read = compileGet(parsePath(rule.scalar.path));
  const regex = library('regex').compileRegex(rule.pattern);
  const targets = Object.entries(rule.fields.paths).map(([group, text]) => {
    const path = parsePath(text);
    const kind = shapeOf(compiler.node(targetSide(direction), path) ?? {}).kind as ScalarKind;
    return { group, kind, slot: compiler.slot(direction, path) };
  });
  compiler.op(direction, (source, slots) => {
    const value = read(source);
    if (value === undefined || value === null) return;
    if (typeof value !== 'string') throw new RuleError(`expected a string, found ${jsonType(value)}`);
    const groups = regex.search(value);
    if (groups === undefined) throw new RuleError(`value ${show(value)} does not match ${rule.pattern}`);
    for (const { group, kind, slot } of targets) {
      slots[slot] =
        kind === 'string' ? (groups.get(group) ?? '') : coerceScalar(groups.get(group) ?? '', kind, 'Error');
    }
  });
}

function compileJoin(compiler: RuleCompiler, direction: Direction, rule: SplitJoin): void {
  const { parseTemplate, TemplateError } = library('template');
  const template = parseTemplate(rule.joinTemplate);
  const fields = Object.entries(rule.fields.paths).map(([group, text]) => ({
    group,
    read: compileGet(parsePath(text)),
  }));
  const slot = compiler.slot(direction, parsePath(rule.scalar.path));
  compiler.op(direction, (source, slots, run) => {
    const data = new Map<string, Json>();
    for (const { group, read } of fields) {
      const value = read(source);
      if (value !== undefined && value !== null) data.set(group, value);
    }
    if (data.size === 0) return;
    try {
      const text = template.render(data);
      spend(run, text.length);
      slots[slot] = text;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const absent = error.kind === 'missing' || (data.size < fields.length && error.kind === 'execution');
      if (run.mode !== 'review' || !absent) throw new RuleError(error.message, '', { cause: error });
      run.absentSkipped++;
    }
  });
}

function patternNames(scope: RuleScope, pattern: string): readonly string[] | undefined {
  const { compileRegex, RegexError } = library('regex');
  try {
    return compileRegex(pattern).names;
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    scope.error('PATTERN_INVALID', error.message, {
      param: 'pattern',
      hint: 'patterns are RE2: no look-around, no back-references',
    });
    return undefined;
  }
}

function checkTemplate(scope: RuleScope, rule: SplitJoin): void {
  const { parseTemplate, TemplateError } = library('template');
  try {
    const declared = rule.fields.paths;
    const unknown = parseTemplate(rule.joinTemplate).fields.filter((name) => !Object.hasOwn(declared, name));
    if (unknown.length === 0) return;
    const hint = `the fields are: ${Object.keys(declared).join(', ')}`;
    scope.warn('TEMPLATE_FIELD_UNKNOWN', `the template uses ${unknown.join(', ')}, which no field gives`, {
      param: 'joinTemplate',
      hint,
    });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    scope.error('TEMPLATE_INVALID', error.message, {
      param: 'joinTemplate',
      hint: 'templates are Go text/template without other functions',
    });
  }
}
