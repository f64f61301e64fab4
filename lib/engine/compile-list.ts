import { compileGet } from './access.ts';
import type { ListAnalysis, RuleAnalysis } from './analyse-list.ts';
import { ConversionError, RuleError } from './conversion-error.ts';
import { BlockedWrite, compileEdits, EditNode } from './edit-tree.ts';
import { isObject, type JsonObject, jsonEqual, type MutableObject } from './json.ts';
import { type Path, parsePath, renderPath } from './path.ts';
import type { Tracer } from './route.ts';
import type { When } from './rule.ts';
import { lookup } from './schema.ts';
import {
  type Direction,
  KEEP,
  type ListConverter,
  type Op,
  type RuleCompiler,
  type Side,
  type Slots,
} from './strategy.ts';
import { ValueError } from './values/value-error.ts';

/** What the errors of a rule say of it. */
interface Place {
  readonly index: number;
  readonly strategy: string;
  readonly path: string;
}

/** One rule's step in one direction. */
interface Step extends Place {
  readonly op: Op;
}

/** One direction of a list while it is put together. */
class DirectionBuilder {
  readonly edits = new EditNode();
  readonly steps: Step[] = [];
  private readonly initial: Slots = [];
  /** Where each slot is written, and by which rule. */
  private readonly targets: Place[] = [];

  slot(path: Path, initial: typeof KEEP | undefined, rule: Omit<Place, 'path'>): number {
    const node = this.edits.at(path);
    if (node.slot < 0) {
      node.slot = this.initial.push(initial) - 1;
      this.targets.push({ ...rule, path: renderPath(path) });
    }
    return node.slot;
  }

  /** The converter. Errors of a rule carry its index, strategy and path; anything else is a crash and passes through. */
  build(): ListConverter {
    const { steps, initial, targets } = this;
    const apply = compileEdits(this.edits);
    const count = steps.length;
    return (source, run) => {
      const slots = initial.length === 0 ? initial : initial.slice();
      let index = 0;
      try {
        for (; index < count; index++) (steps[index] as Step).op(source, slots, run);
        return apply(source, slots);
      } catch (error) {
        throw explain(error, error instanceof BlockedWrite ? targets[error.slot] : steps[index]);
      }
    };
  }

  /** The same, step by step: what each rule wrote, until the first error. */
  buildTracer(): Tracer {
    const { steps, initial, targets } = this;
    return (source, run) => {
      const slots = initial.slice();
      return steps.map(({ op, index, strategy }) => {
        const before = slots.slice();
        op(source, slots, run);
        const wrote = targets.filter((_, slot) => slots[slot] !== before[slot] && slots[slot] !== undefined);
        const removed = targets.filter((_, slot) => before[slot] === KEEP && slots[slot] === undefined);
        return {
          rule: index,
          strategy,
          wrote: wrote.map(({ path }) => path),
          removed: removed.map(({ path }) => path),
        };
      });
    };
  }
}

/** Compiled lists: a converter and a tracer for each direction. */
export interface CompiledList extends Record<Direction, ListConverter> {
  readonly trace: Record<Direction, Tracer>;
}

function explain(error: unknown, place: Place | undefined): unknown {
  if (!(error instanceof RuleError || error instanceof ValueError || error instanceof BlockedWrite)) return error;
  const where = place && {
    rule: place.index,
    strategy: place.strategy,
    path: `${place.path}${error instanceof RuleError ? error.at : ''}`,
  };
  return new ConversionError(error.message, where, { cause: error });
}

/** Compiles a list without errors to one converter for each direction. */
export function compileList(list: ListAnalysis): CompiledList {
  const directions = { hubToSpoke: new DirectionBuilder(), spokeToHub: new DirectionBuilder() };
  for (const builder of Object.values(directions)) {
    for (const path of [...list.taken.hub, ...list.taken.spoke]) builder.edits.at(path).drop = true;
  }
  for (const rule of list.rules) rule.rule.bound.compile(new Compiler(list, rule, directions));
  const { hubToSpoke, spokeToHub } = directions;
  return {
    hubToSpoke: hubToSpoke.build(),
    spokeToHub: spokeToHub.build(),
    trace: { hubToSpoke: hubToSpoke.buildTracer(), spokeToHub: spokeToHub.buildTracer() },
  };
}

class Compiler implements RuleCompiler {
  private readonly list: ListAnalysis;
  private readonly analysis: RuleAnalysis;
  private readonly directions: Record<Direction, DirectionBuilder>;

  constructor(list: ListAnalysis, analysis: RuleAnalysis, directions: Record<Direction, DirectionBuilder>) {
    this.list = list;
    this.analysis = analysis;
    this.directions = directions;
  }

  slot(direction: Direction, path: Path, initial?: typeof KEEP): number {
    const { index, strategy } = this.analysis.rule;
    return this.directions[direction].slot(path, initial, { index, strategy });
  }

  op(direction: Direction, op: Op): void {
    const { rule, hubPaths, spokePaths } = this.analysis;
    const source = direction === 'hubToSpoke' ? hubPaths : spokePaths;
    const path = source[0] ?? hubPaths[0] ?? spokePaths[0] ?? '';
    const guarded = rule.when === undefined ? op : guard(op, rule.when);
    this.directions[direction].steps.push({ op: guarded, index: rule.index, strategy: rule.strategy, path });
  }

  node(side: Side, path: Path): JsonObject | undefined {
    const found = lookup(this.list[side], path);
    return 'node' in found ? found.node : undefined;
  }

  schema(side: Side): JsonObject {
    return this.list[side];
  }

  nested(): Record<Direction, ListConverter> {
    if (this.analysis.nested === undefined) throw new Error('only an analysed ForEach has nested rules');
    return compileList(this.analysis.nested);
  }
}

function guard(op: Op, when: When): Op {
  const read = compileGet(parsePath(when.path));
  return (source, slots, run) => {
    const value = read(source);
    if (value !== undefined && jsonEqual(value, when.equals)) op(source, slots, run);
  };
}

/** The converter of a whole object: the output's `metadata` is always an object (R02, D13). */
export function withMetadata(convert: ListConverter): ListConverter {
  return (source, run) => {
    const metadata = source['metadata'];
    if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
      throw new ConversionError('metadata must be an object');
    }
    const output = convert(source, run) as MutableObject;
    if (isObject(output['metadata'])) return output;
    if (output === source) return { ...output, metadata: {} };
    output['metadata'] = {};
    return output;
  };
}
