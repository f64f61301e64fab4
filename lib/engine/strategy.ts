import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import type { Json, JsonObject } from './json.ts';
import type { Path } from './path.ts';
import type { Run } from './run.ts';
import type { Shape } from './schema.ts';

export type Side = 'hub' | 'spoke';
export type Direction = 'hubToSpoke' | 'spokeToHub';

/** Whether a rule, a list of rules or a plan keeps every value, by direction. */
export interface Lossless {
  readonly hubToSpoke: boolean;
  readonly spokeToHub: boolean;
}

/** A declared field that a rule names. */
export interface Field extends Shape {
  readonly text: string;
  readonly path: Path;
  readonly node: JsonObject;
}

/** A part of a schema, and how messages call it. */
export interface Place {
  readonly node: JsonObject;
  readonly text: string;
}

/** Where a finding is, and what to do about it. */
export interface FindingDetails {
  readonly hint: string;
  /** Of a field; the first field that the rule claims when left out. */
  readonly path?: string;
  /** The parameter at fault, when it is no field. */
  readonly param?: string;
  /** Whose field it is, for rules nested in a ForEach; the hub's when left out. */
  readonly side?: Side;
}

/** What a rule may do while it is analysed: look fields up, claim them, report findings. Nothing throws. */
export interface RuleScope {
  /** The field at a path, or undefined after reporting why there is none. */
  field(side: Side, text: string): Field | undefined;
  /** Takes a field: no other rule and no identity copy may touch it. */
  claim(side: Side, field: Field | undefined): void;
  /** Takes a field with every leaf below it. */
  claimTree(side: Side, field: Field | undefined): void;
  /** Takes a path that the side's schema may not declare (JSONPatch). */
  claimPath(side: Side, path: Path): void;
  /** Takes the right to change a field that is otherwise copied as it is (JSONPatch, below a list or a map). */
  claimInside(side: Side, path: Path): void;
  /** Takes a label or an annotation; both sides share the metadata. */
  claimMetadata(path: Path): void;
  /** How many ForEach rules this one is inside. */
  readonly depth: number;
  /** The schema of a side's root, for rules that look around on their own (JSONPatch, CEL). */
  schema(side: Side): JsonObject;
  /** Warns of what two places that the rule moves whole declare differently inside. */
  compareInner(hub: Place, spoke: Place): void;
  /**
   * Warns when managers can own parts of one of two places and only the whole of the other.
   * @param inside whether what is inside moves as it is, and so is compared too (true when left out)
   */
  compareOwnership(hub: Place | undefined, spoke: Place | undefined, inside?: boolean): void;
  error(code: string, message: string, more: FindingDetails): void;
  warn(code: string, message: string, more: FindingDetails): void;
  /** Analyses the rules of a ForEach on its two item schemas; findings and uncovered fields go to this list's. */
  nested(items: { hub: Field; spoke: Field }, rules: readonly Json[]): Lossless;
  /** Judges the form of a ForEach's rules when its item schemas are not known. */
  nestedForm(rules: readonly Json[]): void;
}

/** A value of a slot: absent, a value to write, or `KEEP`: what the source has at that path stays. */
export const KEEP = Symbol('keep');
export type Slots = (Json | undefined | typeof KEEP)[];

/** One step of a conversion: reads the pristine source, writes slots. */
export type Op = (source: JsonObject, slots: Slots, run: Run) => void;
export type ListConverter = (source: JsonObject, run: Run) => JsonObject;

/** What a rule may do while it is compiled. Everything that depends only on config or schema happens here. */
export interface RuleCompiler {
  /** A slot that is written to `path` of the direction's output; `initial` is what it holds before any rule ran. */
  slot(direction: Direction, path: Path, initial?: typeof KEEP): number;
  op(direction: Direction, op: Op): void;
  node(side: Side, path: Path): JsonObject | undefined;
  schema(side: Side): JsonObject;
  /** The converters of a ForEach's nested rules. */
  nested(): Record<Direction, ListConverter>;
}

/** A rule with its parameters: what one entry of a config becomes. */
export interface BoundRule {
  analyse(scope: RuleScope): Lossless;
  compile(compiler: RuleCompiler): void;
}

/** One of the 29 kinds of rule. Everything else (schemas, documentation, completeness tests) derives from these. */
export interface Strategy {
  readonly name: string;
  /** The key of its parameters in a rule. */
  readonly block: string;
  /** One sentence for people. */
  readonly summary: string;
  /** The objects for which a rule reported as lossless returns to where it came from. */
  readonly domain: string;
  readonly params: z.ZodMiniType;
  /** Names of its parameters. */
  readonly parameters: readonly string[];
  bind(params: Json): { rule: BoundRule } | { issues: readonly Issue[] };
}

export interface Issue {
  readonly path: string;
  readonly message: string;
  /** The keys, when what is wrong is that they are unknown. */
  readonly unknown?: readonly string[];
}

/** Without a locale zod/mini says only "Invalid input"; importing all locales would add 277 KiB. */
const english = en().localeError;

export function defineStrategy<Params>(definition: {
  readonly name: string;
  readonly summary: string;
  readonly domain: string;
  readonly params: z.ZodMiniType<Params> & { readonly shape: object };
  analyse(params: Params, scope: RuleScope): Lossless;
  compile(params: Params, compiler: RuleCompiler): void;
}): Strategy {
  const { name, summary, domain, params: schema } = definition;
  return {
    name,
    block: blockName(name),
    summary,
    domain,
    params: schema,
    parameters: Object.keys(schema.shape),
    bind(raw) {
      const parsed = z.safeParse(schema, raw, { error: english });
      if (!parsed.success) return { issues: parsed.error.issues.map(toIssue) };
      const params = parsed.data;
      return {
        rule: {
          analyse: (scope) => definition.analyse(params, scope),
          compile: (compiler) => definition.compile(params, compiler),
        },
      };
    },
  };
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return { path, message: `unknown key ${issue.keys.join(', ')}`, unknown: issue.keys };
  }
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return { path, message: `is missing: expected ${issue.expected}` };
  }
  return { path, message: issue.message };
}

function blockName(name: string): string {
  if (name === 'JSONPatch') return 'jsonPatch';
  return name === 'CEL' ? 'cel' : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

export const LOSSLESS: Lossless = Object.freeze({ hubToSpoke: true, spokeToHub: true });
export const LOSSY: Lossless = Object.freeze({ hubToSpoke: false, spokeToHub: false });

export function sourceSide(direction: Direction): Side {
  return direction === 'hubToSpoke' ? 'hub' : 'spoke';
}

export function targetSide(direction: Direction): Side {
  return direction === 'hubToSpoke' ? 'spoke' : 'hub';
}
