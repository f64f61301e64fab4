import { ConversionError } from '../../engine/conversion-error.ts';
import type { JsonObject } from '../../engine/json.ts';
import { createRun, type Run } from '../../engine/run.ts';
import { pathText } from '../../engine/values/path-text.ts';
import { type Conversion, schemaOf, type VersionPair } from './conversion.ts';
import { countLeaves, leafDiff } from './leaf-diff.ts';
import type { Issue, PathReport } from './report.ts';
import { acknowledgedPaths, activeRules, isAcknowledgedDifference } from './rules.ts';
import { checkSchema, issueText, newIssues, type SchemaIssue } from './schema-check.ts';
import { showJson } from './show-json.ts';

export interface PathTest {
  readonly conversion: Conversion;
  readonly mode: Run['mode'];
  /** Milliseconds. */
  readonly now: () => number;
}

/** Converts an object to a version and back, and reports what did not return. */
export function testPath(test: PathTest, object: JsonObject, pair: VersionPair): PathReport {
  return pair.from === pair.to ? testIdentity(test, object, pair) : testRoundTrip(test, object, pair);
}

/** An object at its own version is not converted; what its schema says of it is worth knowing all the same. */
function testIdentity({ conversion }: PathTest, object: JsonObject, pair: VersionPair): PathReport {
  const issues = schemaIssues(conversion, object, pair.to).map(toIssue(pair));
  return {
    ...pair,
    result: 'pass',
    timingMicros: 0,
    fieldsConverted: countLeaves(object),
    rulesMatched: ['(identity)'],
    ...(issues.length > 0 && { issues }),
  };
}

function testRoundTrip({ conversion, mode, now }: PathTest, object: JsonObject, pair: VersionPair): PathReport {
  const { router, target } = conversion;
  const start = now();
  const micros = () => Math.round((now() - start) * 1000);
  let converted: JsonObject | undefined;
  try {
    const there = router.convert(object, pair.from, pair.to, createRun(mode));
    converted = { ...there, apiVersion: `${target.group}/${pair.to}` };
    const back = router.convert(converted, pair.to, pair.from, createRun(mode));
    const timingMicros = micros();
    const acknowledged = acknowledgedPaths(conversion, pair);
    const losses = leafDiff(object, back).map((difference): Issue => {
      const type = isAcknowledgedDifference(difference, acknowledged) ? 'acknowledged-loss' : 'unacknowledged-loss';
      const detail = `${showJson(difference.before)} came back as ${showJson(difference.after)}`;
      return { field: pathText(difference.path), ...pair, type, detail };
    });
    const found = schemaIssues(conversion, converted, pair.to);
    const known = found.length === 0 ? [] : schemaIssues(conversion, object, pair.from);
    const issues = [...losses, ...newIssues(found, known).map(toIssue(pair))];
    return {
      ...pair,
      result: resultOf(losses),
      timingMicros,
      fieldsConverted: countLeaves(converted),
      rulesMatched: matched({ conversion, mode }, object, converted, pair),
      ...(issues.length > 0 && { issues }),
    };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const field = converted === undefined ? '(conversion)' : '(round-trip conversion)';
    const issue: Issue = { field, ...pair, type: 'error', detail: error.message };
    const fieldsConverted = converted === undefined ? 0 : countLeaves(converted);
    return { ...pair, result: 'error', timingMicros: micros(), fieldsConverted, issues: [issue] };
  }
}

function matched(
  { conversion, mode }: Omit<PathTest, 'now'>,
  object: JsonObject,
  converted: JsonObject,
  { from, to }: VersionPair,
): string[] {
  const there = activeRules(conversion, object, { from, to }, mode);
  const back = activeRules(conversion, converted, { from: to, to: from }, mode);
  return [...new Set([...there, ...back])];
}

function schemaIssues(conversion: Conversion, object: JsonObject, version: string): SchemaIssue[] {
  return checkSchema(schemaOf(conversion, version), object, conversion.target.source);
}

function toIssue({ from, to }: VersionPair) {
  return (issue: SchemaIssue): Issue => {
    return { field: pathText(issue.path), from, to, type: issue.type, detail: issueText(issue, to) };
  };
}

function resultOf(losses: readonly Issue[]): PathReport['result'] {
  if (losses.some(({ type }) => type === 'unacknowledged-loss')) return 'fail';
  return losses.length > 0 ? 'loss' : 'pass';
}
