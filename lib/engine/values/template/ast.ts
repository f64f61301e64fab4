import type { Json } from '../../json.ts';

/** A value in an action. */
export type Expression =
  | { readonly type: 'literal'; readonly value: Json; readonly offset: number }
  | { readonly type: 'dot'; readonly offset: number }
  | { readonly type: 'variable'; readonly name: string; readonly offset: number }
  | Chain
  | Call
  | Pipe
  | { readonly type: 'assign'; readonly name: string; readonly value: Expression; readonly offset: number };

/** `.a.b` (on the dot), `$x.a`, `(…).a`. */
export interface Chain {
  readonly type: 'chain';
  readonly base: Expression;
  readonly names: readonly string[];
  readonly offset: number;
}

export interface Call {
  readonly type: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
  readonly offset: number;
}

/** `a | f b | g`: each call takes the value before it as its last argument. */
interface Pipe {
  readonly type: 'pipe';
  readonly first: Expression;
  readonly calls: readonly Call[];
}

/** What an action or control starts with: a value, and the variables that take it (two only in a range). */
export interface Pipeline {
  readonly variables: readonly { readonly name: string; readonly offset: number }[];
  /** `=` instead of `:=`. */
  readonly assigns: boolean;
  readonly value: Expression;
}

/** `if` and `with`, with their `else if` / `else with` arms. */
export interface Branch {
  readonly type: 'branch';
  /** `with`: the arm's dot is its pipeline's value. */
  readonly setsDot: boolean;
  readonly arms: readonly { readonly pipeline: Pipeline; readonly body: readonly Node[] }[];
  readonly otherwise: readonly Node[];
}

export interface Range {
  readonly type: 'range';
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
  readonly offset: number;
}

export interface TemplateCall {
  readonly type: 'template';
  readonly name: string;
  /** Without one the called template's dot is nil. */
  readonly pipeline?: Pipeline;
  readonly offset: number;
}

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly pipeline: Pipeline }
  | Branch
  | Range
  | TemplateCall
  | { readonly type: 'break' | 'continue' };

export interface Program {
  readonly text: string;
  readonly main: readonly Node[];
  /** Bodies of `define` and `block`, by name. */
  readonly templates: ReadonlyMap<string, readonly Node[]>;
}
