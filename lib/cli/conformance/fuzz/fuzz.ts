import type { JsonObject } from '../../../engine/json.ts';
import type { Run } from '../../../engine/run.ts';
import { pathText } from '../../../engine/values/path-text.ts';
import { AppError } from '../../../errors.ts';
import type { Conversion, VersionPair } from '../conversion.ts';
import { countLeaves } from '../leaf-diff.ts';
import type { Issue } from '../report.ts';
import { type Check, editCheck, roundTripCheck } from './checks.ts';
import type { Range } from './domains.ts';
import { type Example, examplesOf, hasDomains, NAMED, type Way } from './examples.ts';
import { withFewestFields } from './fewest-fields.ts';
import { type CounterExample, type FuzzReport, type FuzzWay, MAX_COUNTER_EXAMPLES } from './fuzz-report.ts';
import type { Fc, Values } from './values.ts';

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** `review`: a rule whose source is absent writes nothing, as in a cluster (D1). */
  readonly mode: Run['mode'];
  /** Only these ways; all between the hub and its spokes when empty. */
  readonly pairs: readonly VersionPair[];
  readonly now: () => number;
  readonly onObject?: (done: number) => void;
}

/**
 * Converts objects that the schemas and the rules allow, there and back, and shrinks those that do not return; then
 * others, that only the schemas allow.
 */
export async function fuzz(conversion: Conversion, options: FuzzOptions): Promise<FuzzReport> {
  const fc = await import('fast-check');
  const start = options.now();
  const notes: Notes = { known: new Set(), acknowledged: new Map(), schema: new Map(), done: 0 };
  const searchIn = (range: Range) => (way: Way) => search(fc, conversion, way, range, options, notes);
  const planned = waysOf(conversion, options);
  const within = planned.map(searchIn('within'));
  // Last, so that what the rules should carry is known by then, and not taken for what they need not.
  const beyond = planned.map((way, index) => {
    const isMore = within[index]?.found.length === MAX_COUNTER_EXAMPLES;
    return way.edited || isMore || !hasDomains(conversion, way) ? undefined : searchIn('beyond')(way);
  });
  const ways = within.map(({ found, ...way }, index): FuzzWay => {
    const { objects: objectsBeyond = 0, found: more = [] } = beyond[index] ?? {};
    return { ...way, counterExamples: found, objectsBeyond, beyond: more };
  });
  const { target, config, router } = conversion;
  return {
    meta: {
      resourceKind: target.source,
      resource: target.name,
      config,
      hubVersion: router.hub,
      seed: options.seed,
      runs: options.runs,
      generatedAt: new Date(start).toISOString(),
      durationMs: Math.round(options.now() - start),
    },
    summary: {
      objects: ways.reduce((sum, way) => sum + way.objects, 0),
      counterExamples: ways.reduce((sum, way) => sum + way.counterExamples.length, 0),
      beyond: ways.reduce((sum, way) => sum + way.beyond.length, 0),
      acknowledged: notes.acknowledged.size,
      schemaIssues: notes.schema.size,
    },
    ways,
    acknowledged: [...notes.acknowledged.values()],
    schemaIssues: [...notes.schema.values()],
  };
}

/** What was seen on all ways. */
interface Notes {
  /** Faults that were found already: each is searched for once. */
  readonly known: Set<string>;
  readonly acknowledged: Map<string, Issue>;
  readonly schema: Map<string, Issue>;
  done: number;
}

/** Round trips first: an edit is to find what they do not. */
function waysOf({ router, versions }: Conversion, { pairs }: FuzzOptions): readonly Way[] {
  const wrong = pairs.find(({ from, to }) => from === to || (from !== router.hub && to !== router.hub));
  if (wrong !== undefined) {
    const message = `--version-pair ${wrong.from}:${wrong.to}: --fuzz goes between the hub ${router.hub} and a spoke`;
    throw new AppError('BAD_REQUEST', message);
  }
  const spokes = versions.filter((version) => version !== router.hub);
  const all = spokes.flatMap((spoke) => [
    { from: router.hub, to: spoke, edited: false },
    { from: spoke, to: router.hub, edited: false },
    { from: router.hub, to: spoke, edited: true },
  ]);
  return all.filter(({ from, to }) => pairs.length === 0 || pairs.some((pair) => pair.from === from && pair.to === to));
}

function search(
  fc: Fc,
  conversion: Conversion,
  way: Way,
  range: Range,
  options: FuzzOptions,
  notes: Notes,
): Omit<FuzzWay, 'counterExamples' | 'objectsBeyond' | 'beyond'> & { readonly found: readonly CounterExample[] } {
  const { from, to, edited } = way;
  const check = edited
    ? editCheck(conversion, way, options.mode)
    : roundTripCheck(conversion, way, options.mode, range);
  const values = examplesOf(fc, conversion, way, range);
  const counts = { objects: 0, leftOut: 0 };
  const counterExamples: CounterExample[] = [];
  while (counterExamples.length < MAX_COUNTER_EXAMPLES) {
    const found = findOne(fc, { check, values, counts }, options, notes);
    if (found === undefined) break;
    counterExamples.push(found);
    for (const issue of found.issues) notes.known.add(keyOf(issue));
  }
  return { from, to, edited, ...counts, found: counterExamples };
}

interface Search {
  readonly check: Check;
  readonly values: Values<Example>;
  readonly counts: { objects: number; leftOut: number };
}

function findOne(
  fc: Fc,
  { check, values, counts }: Search,
  { runs, seed, onObject }: FuzzOptions,
  notes: Notes,
): CounterExample | undefined {
  let firstFields: number | undefined;
  const faultsOf = ({ object, edits }: Example) => {
    const seen = check(object, edits);
    const isFault = ({ type }: Issue) => type === 'error' || type === 'unacknowledged-loss';
    return { ...seen, faults: seen.issues.filter((issue) => isFault(issue) && !notes.known.has(keyOf(issue))) };
  };
  const property = fc.property(values, (example) => {
    const { valid, faults, issues, schema } = faultsOf(example);
    if (firstFields === undefined) {
      counts[valid ? 'objects' : 'leftOut']++;
      onObject?.(++notes.done);
      note(
        notes.acknowledged,
        issues.filter(({ type }) => type === 'acknowledged-loss'),
      );
      note(notes.schema, schema);
    }
    if (faults.length > 0) firstFields ??= fieldsOf(example.object);
    return faults.length === 0;
  });
  const [shrunk] = fc.check(property, { numRuns: runs, seed }).counterexample ?? [];
  if (shrunk === undefined) return undefined;
  const wanted = new Set(faultsOf(shrunk).faults.map(keyOf));
  const shows = (object: JsonObject) =>
    faultsOf({ ...shrunk, object }).faults.some((issue) => wanted.has(keyOf(issue)));
  const object = withFewestFields(shrunk.object, shows);
  const { edit, faults } = faultsOf({ ...shrunk, object });
  return {
    object: { ...object, metadata: NAMED },
    ...(edit && { edit: { path: pathText(edit.path), value: edit.value } }),
    fields: fieldsOf(object),
    firstFields: firstFields ?? 0,
    issues: faults,
  };
}

/** How many scalars an object has beside what every object has. */
function fieldsOf({ apiVersion: _a, kind: _k, metadata: _m, ...rest }: JsonObject): number {
  return countLeaves(rest);
}

function note(notes: Map<string, Issue>, issues: readonly Issue[]): void {
  for (const issue of issues) if (!notes.has(keyOf(issue))) notes.set(keyOf(issue), issue);
}

/** A place without its indices; an error of a rule is one, whichever value and way it comes from. */
function keyOf({ from, to, type, field, detail }: Issue): string {
  const place = (text: string) => text.replace(/\[\d+\]/g, '');
  if (type === 'error') return `${[from, to].sort().join(' ')} ${place(detail).replace(/:.*/s, '')}`;
  return `${from} ${to} ${type} ${place(field)}`;
}
