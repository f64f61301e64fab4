import type { Branch, Node, Pipeline, Program, Range, TemplateCall } from './ast.ts';
import { compileExpression, type Evaluate } from './compile-expression.ts';
import { listCost } from './cost.ts';
import { createFrame, type Frame } from './run.ts';
import { Scope } from './scope.ts';
import { placed, placeOf, TemplateError } from './template-error.ts';
import { textOf } from './text.ts';
import { entryOf, isList, isMap, isNil, typeName, type Value } from './value.ts';

/** How a node ended: normally, or by leaving the innermost range's iteration or the range. */
const NORMAL = 0;
const BREAK = 1;
const CONTINUE = 2;
type Signal = typeof NORMAL | typeof BREAK | typeof CONTINUE;

type Execute = (frame: Frame, dot: Value) => Signal;

/** One template body; filled after all bodies have a name, so that they can call each other. */
interface Body {
  execute: Execute;
  slots: number;
}

/** The main template of a program as a function that renders into the frame's run. */
export function compileProgram({ text, main, templates }: Program): Body {
  const bodies = new Map<string, Body>();
  for (const name of templates.keys()) bodies.set(name, { execute: () => NORMAL, slots: 1 });
  for (const [name, nodes] of templates) Object.assign(bodies.get(name) as Body, compileBody(nodes, text, bodies));
  return compileBody(main, text, bodies);
}

type Bodies = ReadonlyMap<string, Body>;

function compileBody(nodes: readonly Node[], text: string, bodies: Bodies): Body {
  const scope = new Scope(text);
  const execute = compileList(nodes, scope, bodies);
  return { execute, slots: scope.slots };
}

/** A list pays for its nodes when it is entered: what it contains is known here, how often it runs is not. */
function compileList(nodes: readonly Node[], scope: Scope, bodies: Bodies): Execute {
  const steps = nodes.map((node) => compileNode(node, scope, bodies));
  const cost = listCost(nodes);
  return (frame, dot) => {
    frame.run.spend(cost);
    for (const step of steps) {
      const signal = step(frame, dot);
      if (signal !== NORMAL) return signal;
    }
    return NORMAL;
  };
}

function compileNode(node: Node, scope: Scope, bodies: Bodies): Execute {
  switch (node.type) {
    case 'text': {
      const { text } = node;
      return (frame) => {
        frame.run.write(text);
        return NORMAL;
      };
    }
    case 'action':
      return compileAction(node.pipeline, scope);
    case 'branch':
      return scope.block(() => compileBranch(node, scope, bodies));
    case 'range':
      return scope.block(() => compileRange(node, scope, bodies));
    case 'template':
      return compileTemplateCall(node, scope, bodies);
    case 'break':
      return () => BREAK;
    case 'continue':
      return () => CONTINUE;
  }
}

/** Prints its value, unless it sets variables. */
function compileAction(pipeline: Pipeline, scope: Scope): Execute {
  const evaluate = compilePipeline(pipeline, scope).evaluate;
  if (pipeline.variables.length > 0) {
    return (frame, dot) => {
      evaluate(frame, dot);
      return NORMAL;
    };
  }
  return (frame, dot) => {
    frame.run.write(textOf(evaluate(frame, dot)));
    return NORMAL;
  };
}

/** The value of a pipeline, stored in its variables too. A declared name is visible only behind its pipeline. */
function compilePipeline(pipeline: Pipeline, scope: Scope): { evaluate: Evaluate; slots: readonly number[] } {
  const value = compileExpression(pipeline.value, scope);
  const slots = pipeline.variables.map(({ name, offset }) =>
    pipeline.assigns ? scope.slot(name, offset) : scope.declare(name),
  );
  if (slots.length === 0) return { evaluate: value, slots };
  const evaluate: Evaluate = (frame, dot) => {
    const result = value(frame, dot);
    for (const slot of slots) frame.variables[slot] = result;
    return result;
  };
  return { evaluate, slots };
}

function compileBranch({ setsDot, arms, otherwise }: Branch, scope: Scope, bodies: Bodies): Execute {
  const compiled = arms.map(({ pipeline, body }) => {
    const { evaluate } = compilePipeline(pipeline, scope);
    return { evaluate, execute: scope.block(() => compileList(body, scope, bodies)) };
  });
  const last = scope.block(() => compileList(otherwise, scope, bodies));
  return (frame, dot) => {
    for (const { evaluate, execute } of compiled) {
      const value = evaluate(frame, dot);
      if (frame.run.truth(value)) return execute(frame, setsDot ? value : dot);
    }
    return last(frame, dot);
  };
}

function compileRange({ pipeline, body, otherwise, offset }: Range, scope: Scope, bodies: Bodies): Execute {
  const { evaluate, slots } = compilePipeline(pipeline, scope);
  const itemSlot = slots.at(-1);
  const indexSlot = slots.length > 1 ? slots[0] : undefined;
  const each = scope.block(() => compileList(body, scope, bodies));
  const none = scope.block(() => compileList(otherwise, scope, bodies));
  const { text } = scope;
  return (frame, dot) => {
    const value = evaluate(frame, dot);
    const { variables, run } = frame;
    const keys = isMap(value) ? run.keys(value) : undefined;
    const length = keys?.length ?? (isList(value) ? value.length : isNil(value) ? 0 : notIterable(value, text, offset));
    for (let index = 0; index < length; index++) {
      const key = keys?.[index] ?? index;
      const item = isMap(value) ? entryOf(value, key as string) : (value as readonly Value[])[index];
      if (itemSlot !== undefined) variables[itemSlot] = item;
      if (indexSlot !== undefined) variables[indexSlot] = key;
      if (each(frame, item) === BREAK) break;
    }
    return length === 0 ? none(frame, dot) : NORMAL;
  };
}

function notIterable(value: Value, text: string, offset: number): never {
  const detail = `range needs a list or a map, not ${typeName(value)}`;
  throw new TemplateError('execution', detail, placeOf(text, offset));
}

function compileTemplateCall({ name, pipeline, offset }: TemplateCall, scope: Scope, bodies: Bodies): Execute {
  const body = bodies.get(name);
  if (!body) {
    throw scope.problem(offset, `the template ${JSON.stringify(name)} is not defined; define it with {{define "…"}}`);
  }
  const evaluate: Evaluate = pipeline ? compilePipeline(pipeline, scope).evaluate : () => null;
  const levels = scope.level + 1;
  const { text } = scope;
  return (frame, dot) => {
    const value = evaluate(frame, dot);
    const { run } = frame;
    try {
      run.enter(levels);
    } catch (error) {
      throw placed(error, text, offset, `template ${JSON.stringify(name)}`);
    }
    body.execute(createFrame(run, body.slots, value), value);
    run.leave(levels);
    return NORMAL;
  };
}
