import type { ASTNode } from '@marcbachmann/cel-js';
import { type CelError, compileError, excerptOf, Failure } from './error.ts';
import type { Evaluation, Run } from './evaluation.ts';
import type { StaticType } from './operators.ts';

/** A node of the syntax tree; its `args` depend on its `op`. */
export type Node = ASTNode;
export type NodeOf<Op extends Node['op']> = Extract<Node, { op: Op }>;

/** A compiled part of an expression, and what is known about its values. */
export interface Compiled {
  readonly type: StaticType;
  readonly run: Run;
}

/** Each level is a few calls deep when it runs. */
const MAX_DEPTH = 500;

/** The place of a node while it is compiled: how deep it lies and which iteration variables it sees. */
export class Scope {
  readonly #compiler: (node: Node, scope: Scope) => Compiled;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #depth: number;

  constructor(compiler: (node: Node, scope: Scope) => Compiled, slots: ReadonlyMap<string, number>, depth: number) {
    this.#compiler = compiler;
    this.#slots = slots;
    this.#depth = depth;
  }

  compile(node: Node): Compiled {
    if (this.#depth >= MAX_DEPTH) throw refuse(node, `the expression nests deeper than ${MAX_DEPTH} levels`);
    return this.#compiler(node, new Scope(this.#compiler, this.#slots, this.#depth + 1));
  }

  /** Where an iteration variable is kept during evaluation. */
  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  /** The scope of a comprehension's predicate. A variable hides others of its name. */
  withVariable(name: string): { readonly scope: Scope; readonly slot: number } {
    const slot = this.#slots.size;
    // A hidden variable keeps its slot under a name that no expression can contain.
    const slots = new Map(
      [...this.#slots].map(([other, index]) => [other === name ? `${name} ${index}` : other, index]),
    );
    return { scope: new Scope(this.#compiler, slots.set(name, slot), this.#depth), slot };
  }
}

/** A compile error at a node. */
export function refuse(node: Node, reason: string): CelError {
  return compileError(reason, node.input, node.pos);
}

/** Adds the text of a node to the errors of what it compiled to. */
export function located<Result>(
  node: Node,
  run: (evaluation: Evaluation) => Result,
): (evaluation: Evaluation) => Result {
  const excerpt = excerptOf(node);
  return (evaluation) => {
    try {
      return run(evaluation);
    } catch (error) {
      throw error instanceof Failure ? error.within(excerpt) : error;
    }
  };
}
