import { ConversionError } from '../../../engine/conversion-error.ts';
import { isObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { type Path, renderPath } from '../../../engine/path.ts';
import { createRun, type Run } from '../../../engine/run.ts';
import { type DocumentPath, pathText } from '../../../engine/values/path-text.ts';
import { type Conversion, schemaOf, type VersionPair } from '../conversion.ts';
import { type Difference, leafDiff, startsWith } from '../leaf-diff.ts';
import type { Issue } from '../report.ts';
import { acknowledgedPaths, isAcknowledged, touchedSpokes } from '../rules.ts';
import { checkSchema, issueText, newIssues, prune } from '../schema-check.ts';
import { showJson } from '../show-json.ts';
import type { Range } from './domains.ts';

/** A field of an object that somebody changes. */
export interface Edit {
  readonly path: Path;
  readonly value: Json;
}

/** What a check saw of one object. */
export interface Seen {
  /** The object is one that its schema allows, and could be checked. */
  readonly valid: boolean;
  /** The edit that was made. */
  readonly edit?: Edit;
  readonly issues: readonly Issue[];
  /** Places at the other version that an apiserver would prune or refuse. */
  readonly schema: readonly Issue[];
}

const NOT_VALID: Seen = { valid: false, issues: [], schema: [] };

/** @param edits of which the first is made that the other version allows */
export type Check = (object: JsonObject, edits: readonly Edit[]) => Seen;

/**
 * Checks that an object returns from another version, as a cluster would see it: after each hop what the schema does not
 * declare is pruned.
 */
export function roundTripCheck(
  conversion: Conversion,
  { from, to }: VersionPair,
  mode: Run['mode'],
  range: Range,
): Check {
  const pair = { from, to };
  const hop = hopper(conversion, mode);
  const acknowledged = acknowledgedPaths(conversion, pair, true);
  return (object) => {
    if (isRefused(conversion, object, from)) return NOT_VALID;
    const there = attempt(conversion, pair, () => hop(object, from, to), { range });
    if ('issue' in there) return { valid: true, issues: [there.issue], schema: [] };
    const { schema } = there.value;
    const back = attempt(conversion, pair, () => hop(there.value.object, to, from), {
      range,
      field: '(round-trip conversion)',
    });
    if ('issue' in back) return { valid: true, issues: [back.issue], schema };
    const issues = lossesOf(object, back.value.object).map(toIssue(pair, acknowledged, 'came back as'));
    return { valid: true, issues, schema };
  };
}

/**
 * Checks that an edit at a spoke of an object from the hub arrives (R14): read again at the spoke it is there, and at the
 * hub nothing else changed than what the rules of that field write.
 */
export function editCheck(conversion: Conversion, { from: hub, to: spoke }: VersionPair, mode: Run['mode']): Check {
  const [down, up] = [
    { from: hub, to: spoke },
    { from: spoke, to: hub },
  ];
  const hop = hopper(conversion, mode);
  const acknowledged = acknowledgedPaths(conversion, down, true);
  const fieldsAtHub = hubFieldsOf(conversion, down);
  return (object, edits) => {
    if (isRefused(conversion, object, hub)) return NOT_VALID;
    const unedited = attempt(conversion, down, () => {
      const read = hop(object, hub, spoke).object;
      return { read, atHub: hop(read, spoke, hub).object };
    });
    // An object that cannot be converted without the edit is the round trip's to report.
    if ('issue' in unedited) return NOT_VALID;
    const { read } = unedited.value;
    const edit = edits.find((one) => !isRefused(conversion, withEdit(read, one), spoke, read));
    if (edit === undefined) return NOT_VALID;
    const written = withEdit(read, edit);
    const edited = attempt(conversion, up, () => {
      const atHub = hop(written, spoke, hub).object;
      return { atHub, again: hop(atHub, hub, spoke).object };
    });
    if ('issue' in edited) return { valid: true, edit, issues: [edited.issue], schema: [] };
    const own = fieldsAtHub(edit.path);
    const others = lossesOf(unedited.value.atHub, edited.value.atHub).filter(
      ({ path }) => !own.some((field) => touches(path, field)),
    );
    const lost = lossesOf(written, edited.value.again).map(toIssue(up, acknowledged, 'was written, and is read as'));
    const changed = others.map(toIssue(down, acknowledged, 'at the hub was changed by the edit to'));
    return { valid: true, edit, issues: [...lost, ...changed], schema: [] };
  };
}

function lossesOf(before: JsonObject, after: JsonObject): Difference[] {
  return leafDiff(before, after, { emptyIsAbsent: true });
}

function hopper(conversion: Conversion, mode: Run['mode']) {
  const { router, target } = conversion;
  return (object: JsonObject, from: string, to: string) => {
    const converted = { ...router.convert(object, from, to, createRun(mode)), apiVersion: `${target.group}/${to}` };
    const found = checkSchema(schemaOf(conversion, to), converted, target.source);
    const schema = found.map((issue): Issue => {
      return { field: pathText(issue.path), from, to, type: issue.type, detail: issueText(issue, to) };
    });
    return { object: prune(converted, found), schema };
  };
}

/** Whether an apiserver would not take an object as it is, for another reason than it has with `before`. */
export function isRefused(conversion: Conversion, object: JsonObject, version: string, before?: JsonObject): boolean {
  const issuesOf = (of: JsonObject) => checkSchema(schemaOf(conversion, version), of, conversion.target.source);
  return newIssues(issuesOf(object), before === undefined ? [] : issuesOf(before)).length > 0;
}

/**
 * Runs a conversion. Its error is acknowledged by a rule that says that it is lossy, though it keeps everything in its
 * domain; beyond its domain by any that says so.
 */
function attempt<T>(
  conversion: Conversion,
  pair: VersionPair,
  run: () => T,
  { range, field = '(conversion)' }: { readonly range: Range; readonly field?: string } = { range: 'within' },
): { readonly value: T } | { readonly issue: Issue } {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const [spoke] = touchedSpokes(conversion, pair);
    const rule = spoke?.list?.rules.find((candidate) => candidate.rule.index === error.rule);
    const keepsAll = rule?.lossless.hubToSpoke && rule.lossless.spokeToHub;
    const known = rule?.rule.acknowledgeLossy && (range === 'beyond' || keepsAll);
    return { issue: { field, ...pair, type: known ? 'acknowledged-loss' : 'error', detail: error.message } };
  }
}

function toIssue(pair: VersionPair, acknowledged: ReadonlySet<string>, verb: string) {
  return ({ path, before, after }: Difference): Issue => ({
    field: pathText(path),
    ...pair,
    type: isAcknowledged(path, acknowledged) ? 'acknowledged-loss' : 'unacknowledged-loss',
    detail: `${showJson(before)} ${verb} ${showJson(after)}`,
  });
}

/** The object with another value at a path; objects on the way are made where there are none. */
export function withEdit(object: JsonObject, { path: [key, ...rest], value }: Edit): JsonObject {
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  const child = object[key];
  return { ...object, [key]: withEdit(isObject(child) ? child : {}, { path: rest, value }) };
}

/** The hub fields that an edit of a spoke field may change: those of its rules, its namesake, and what is stashed. */
function hubFieldsOf(conversion: Conversion, pair: VersionPair): (path: Path) => readonly (readonly string[])[] {
  const rules = touchedSpokes(conversion, pair).flatMap((spoke) => spoke.rules);
  return (path) => {
    const text = renderPath(path);
    const claiming = rules.filter(({ spokePaths }) => spokePaths.some((claimed) => overlaps(text, claimed)));
    const hub = claiming.flatMap(({ hubPaths }) => hubPaths.map((claimed) => claimed.split('.')));
    return [...hub, path, ['metadata', 'annotations'], ['metadata', 'labels']];
  };
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

function touches(path: DocumentPath, field: readonly string[]): boolean {
  return startsWith(path, field) || startsWith(field, path);
}
