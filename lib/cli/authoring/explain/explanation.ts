import type { SpokeAnalysis } from '../../../engine/analyse.ts';
import { ConversionError } from '../../../engine/conversion-error.ts';
import type { Json, JsonObject } from '../../../engine/json.ts';
import { createRun, isFragment, type Run } from '../../../engine/run.ts';
import type { DocumentPath } from '../../../engine/values/path-text.ts';
import { AppError } from '../../../errors.ts';
import type { Conversion } from '../../conformance/conversion.ts';
import { type Difference, leafDiff } from '../../conformance/leaf-diff.ts';
import { followHop, type Hop, type Link } from './hop.ts';
import { overlaps, type ValueLeaf, valueLeaves } from './leaves.ts';

/** Where one field of the converted object comes from. */
export interface Origin extends ValueLeaf {
  /** Fields of the object that was given; none for a value that a rule makes up. */
  readonly from: readonly DocumentPath[];
  /** `rule`, or why no rule was needed: a copy, the version that was asked for, metadata that every object has. */
  readonly how: 'rule' | 'copied' | 'version' | 'always there';
  /** In the order in which they ran. */
  readonly rules: readonly string[];
}

/** What became of one field of the object that was given. */
export interface Fate extends ValueLeaf {
  readonly to: readonly DocumentPath[];
  /** Rules that moved, changed or dropped it. */
  readonly rules: readonly string[];
  /** What the way back makes of it, when that is not the same; undefined in it is absent. */
  readonly returns?: { readonly value: Json | undefined };
}

export interface Explanation {
  readonly from: string;
  readonly hub: string;
  readonly to: string;
  readonly object: JsonObject;
  readonly output: readonly Origin[];
  readonly input: readonly Fate[];
  /** Why the converted object cannot be converted back. */
  readonly wayBack?: string;
}

interface Question {
  readonly object: JsonObject;
  readonly from: string;
  readonly to: string;
  readonly mode: Run['mode'];
}

/**
 * Converts one object and says of every field of the output which rule it is from, and of every field of the input
 * where it went and whether it comes back.
 * @throws AppError when the object cannot be converted, with the rule
 */
export function explainObject(conversion: Conversion, question: Question): Explanation {
  const { router } = conversion;
  const { object, from, to } = question;
  const up = from === router.hub ? undefined : from;
  const down = to === router.hub || to === from ? undefined : to;
  const atHub = convert(conversion, question, object, from, router.hub);
  const output = convert(conversion, question, object, from, to);
  const fragment = isFragment(object, question.mode);
  const common = { from: [], to: [], mode: question.mode, fragment };
  const hops: Hop[] = [];
  if (up !== undefined && from !== to) {
    const target = to === router.hub ? output : atHub;
    const view = { ...common, direction: 'spokeToHub', source: object, target, prefix: `${up}:` } as const;
    hops.push(followHop(listOf(conversion, up), view));
  }
  if (down !== undefined) {
    const view = { ...common, direction: 'hubToSpoke', source: atHub, target: output, prefix: `${down}:` } as const;
    hops.push(followHop(listOf(conversion, down), view));
  }
  const apiVersion = `${conversion.target.group}/${to}`;
  const converted = { ...output, apiVersion };
  const back = wayBack(conversion, question, output);
  return {
    from,
    hub: router.hub,
    to,
    object: converted,
    output: valueLeaves(converted).map((leaf) => originOf(leaf, hops)),
    input: valueLeaves(object).map((leaf) => fateOf(leaf, hops, 'differences' in back ? back.differences : [])),
    ...('error' in back && { wayBack: back.error }),
  };
}

function listOf({ analysis }: Conversion, version: string) {
  const list = analysis.spokes.find((spoke: SpokeAnalysis) => spoke.version === version)?.list;
  if (list === undefined) throw new Error(`spoke ${version} was not analysed`);
  return list;
}

function convert({ router }: Conversion, { mode }: Question, object: JsonObject, from: string, to: string): JsonObject {
  try {
    return router.convert(object, from, to, createRun(mode));
  } catch (cause) {
    if (!(cause instanceof ConversionError)) throw cause;
    throw new AppError('CONVERSION_FAILED', `${from} → ${to}: ${cause.message}`, {}, { cause });
  }
}

function wayBack(
  conversion: Conversion,
  question: Question,
  output: JsonObject,
): { differences: readonly Difference[] } | { error: string } {
  try {
    return {
      differences: leafDiff(question.object, convert(conversion, question, output, question.to, question.from)),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: error.message };
  }
}

/** Goes back from a field of the last output, way by way. */
function originOf({ path, value }: ValueLeaf, hops: readonly Hop[]): Origin {
  if (path.length === 1 && path[0] === 'apiVersion') return { path, value, from: [path], how: 'version', rules: [] };
  let from: readonly DocumentPath[] = [path];
  let rules: readonly string[] = [];
  for (const { links } of hops.toReversed()) {
    const found = links.filter((link) => from.some((at) => overlaps(at, link.path)));
    rules = unique([...found.flatMap(({ rule }) => rule ?? []), ...rules]);
    from = uniquePaths(found.flatMap((link) => link.from));
  }
  if (rules.length > 0) return { path, value, from, how: 'rule', rules };
  return { path, value, from, how: from.length > 0 ? 'copied' : 'always there', rules };
}

/** Follows a field of the input, way by way. */
function fateOf({ path, value }: ValueLeaf, hops: readonly Hop[], differences: readonly Difference[]): Fate {
  let at: readonly DocumentPath[] = [path];
  const rules: string[] = [];
  for (const { links, claims } of hops) {
    const claim = claims.find((candidate) => at.some((place) => overlaps(candidate.path, place)));
    const next = links.filter((link: Link) => link.from.some((source) => at.some((place) => overlaps(source, place))));
    rules.push(...next.flatMap(({ rule }) => rule ?? []));
    if (claim && next.length === 0) rules.push(claim.rule);
    at = uniquePaths(next.map((link) => link.path));
  }
  const changed = differences.find((difference) => overlaps(difference.path, path));
  const same = changed && changed.path.length < path.length ? undefined : changed?.after;
  return { path, value, to: at, rules: unique(rules), ...(changed && { returns: { value: same } }) };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function uniquePaths(paths: readonly DocumentPath[]): DocumentPath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}
