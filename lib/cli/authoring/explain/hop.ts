import type { ListAnalysis, RuleAnalysis } from '../../../engine/analyse-list.ts';
import { compileList } from '../../../engine/compile-list.ts';
import { isArray, type Json, type JsonObject, jsonEqual } from '../../../engine/json.ts';
import type { TraceStep } from '../../../engine/route.ts';
import { createRun, type Run } from '../../../engine/run.ts';
import { type Direction, type ListConverter, sourceSide } from '../../../engine/strategy.ts';
import type { DocumentPath } from '../../../engine/values/path-text.ts';
import { keysOf, overlaps, valueAt, valueLeaves, without } from './leaves.ts';

/** Where one field of an output comes from. */
export interface Link {
  readonly path: DocumentPath;
  readonly value: Json;
  /** Fields of the input; none for a value that a rule makes up. */
  readonly from: readonly DocumentPath[];
  /** Absent for a copy, and for `metadata`, which every output has. */
  readonly rule?: string;
}

/** What the rules of one list have to do with the fields of the input. */
interface Claim {
  readonly path: DocumentPath;
  readonly rule: string;
}

/** One way between a spoke and the hub, for one object. */
export interface Hop {
  readonly links: readonly Link[];
  readonly claims: readonly Claim[];
}

interface View {
  readonly direction: Direction;
  readonly source: JsonObject;
  readonly target: JsonObject;
  /** What rule names begin with: `v1:` or `v1:rule[3]:ForEach/`. */
  readonly prefix: string;
  readonly from: DocumentPath;
  readonly to: DocumentPath;
  readonly mode: Run['mode'];
  /** Of the whole object: see `Run.fragment`. */
  readonly fragment: boolean;
}

type Step = Omit<TraceStep, 'direction' | 'spoke'>;

/**
 * Follows an object through a list of rules: for each field of the output the rule that wrote it and the fields that
 * the rule read, for each field of the input the rules that claim it.
 */
export function followHop(list: ListAnalysis, view: View): Hop {
  const { direction, source, target } = view;
  const compiled = compileList(list);
  const steps = compiled.trace[direction](source, runOf(view));
  const links: Link[] = [];
  const claims: Claim[] = [];
  const readers = list.rules.map((rule) => reader(rule, steps, view, compiled[direction]));
  for (const { rule, sources } of readers) {
    claims.push(...sources.map((path) => ({ path: [...view.from, ...path], rule })));
  }
  for (const leaf of valueLeaves(target)) {
    if (leaf.path.length === 0) continue;
    const writer = readers.find(({ writes }) => writes.some((path) => overlaps(path, leaf.path)));
    if (writer?.items && leaf.path.length > writer.items.to.length) continue;
    const from = writer ? writer.readBy(leaf.path) : copied(source, leaf.path);
    const at = {
      path: [...view.to, ...leaf.path],
      value: leaf.value,
      from: from.map((path) => [...view.from, ...path]),
    };
    links.push(writer ? { ...at, rule: writer.rule } : at);
  }
  for (const { rule, items } of readers) {
    for (const inner of items?.hops(rule) ?? []) {
      links.push(...inner.links);
      claims.unshift(...inner.claims);
    }
  }
  return { links, claims };
}

/** A container that rules emptied is a copy too. */
function copied(source: JsonObject, path: DocumentPath): DocumentPath[] {
  return valueAt(source, path) === undefined ? [] : [path];
}

function runOf({ mode, fragment }: Pick<View, 'mode' | 'fragment'>): Run {
  return { ...createRun(mode), fragment };
}

/** One rule on one object: what it wrote, and what it read for that. */
function reader(analysis: RuleAnalysis, steps: readonly Step[], view: View, convert: ListConverter) {
  const { direction, source, target, prefix } = view;
  const { index, strategy } = analysis.rule;
  const mine = steps.filter((step) => step.rule === index);
  const claimed = sourceSide(direction) === 'hub' ? analysis.hubPaths : analysis.spokePaths;
  const texts = [...claimed, ...mine.flatMap(({ removed }) => removed)];
  const sources = present(source, texts);
  const writes = present(
    target,
    mine.flatMap(({ wrote }) => wrote),
  );
  return {
    rule: `${prefix}rule[${index}]:${strategy}`,
    sources,
    writes,
    items: analysis.nested && itemsOf(analysis, sources[0], writes[0], view),
    readBy: (path: DocumentPath) => needed(sources, path, view, convert),
  };
}

function present(object: JsonObject, texts: readonly string[]): string[][] {
  return texts.map((text) => keysOf(object, text)).filter((path) => path !== undefined);
}

/** Parts of a rule's sources that are tried one by one; of more than that the whole sources are named. */
const MAX_TRIED = 50;

/** Of what a rule read the parts without which the field would be another. */
function needed(
  sources: readonly DocumentPath[],
  path: DocumentPath,
  view: View,
  convert: ListConverter,
): readonly DocumentPath[] {
  const parts = sources.flatMap((source) => valueLeaves(valueAt(view.source, source) ?? null, source));
  if (parts.length > MAX_TRIED || (parts.length < 2 && parts[0]?.path.length === sources[0]?.length)) return sources;
  const found = parts.filter((part) => {
    try {
      const output = convert(without(view.source, part.path) as JsonObject, runOf({ ...view, mode: 'review' }));
      return !jsonEqual(valueAt(output, path), valueAt(view.target, path));
    } catch {
      return true;
    }
  });
  return found.length === 0 ? sources : found.map((part) => part.path);
}

/** The elements of a ForEach, each a way of its own. */
function itemsOf(
  { nested }: RuleAnalysis,
  from: readonly string[] | undefined,
  to: readonly string[] | undefined,
  view: View,
) {
  if (nested === undefined || from === undefined || to === undefined) return undefined;
  const [before, after] = [valueAt(view.source, from), valueAt(view.target, to)];
  if (!isArray(before) || !isArray(after) || after.length === 0) return undefined;
  const hops = (rule: string): Hop[] =>
    after.map((target, index) =>
      followHop(nested, {
        ...view,
        source: before[index] as JsonObject,
        target: target as JsonObject,
        prefix: `${rule}/`,
        from: [...view.from, ...from, index],
        to: [...view.to, ...to, index],
      }),
    );
  return { to, hops };
}
