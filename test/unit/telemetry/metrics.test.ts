import { expect, test } from 'vitest';
import { createMetrics, createSyntheticMetrics, type ReviewRecord } from '../../../lib/telemetry/metrics.ts';

function record(overrides: Partial<ReviewRecord> = {}): ReviewRecord {
  const counts = { objects: 2, lossy: 1, absentSkipped: 4, stashIgnored: 5, shapeMismatches: 6 };
  return { result: 'success', durationMs: 3, ...counts, ...overrides };
}

function collect() {
  const lines: any[] = [];
  const telemetry = createMetrics({ stage: 'test', version: '7', print: (line) => lines.push(JSON.parse(line)) });
  return { lines, telemetry };
}

test('a review is one line with exactly two dimension sets', () => {
  const { lines, telemetry } = collect();
  telemetry.review(
    record({ target: 'widgets.example.org', uid: 'u-1', from: 'v1', to: 'v2', revision: 7, endpoint: 'eu' }),
  );
  const [line] = lines;
  const [directive] = line._aws.CloudWatchMetrics;
  expect(line._aws.CloudWatchMetrics).toHaveLength(1);
  expect(directive.Namespace).toBe('Roundhouse');
  expect(directive.Dimensions).toEqual([
    ['service', 'stage'],
    ['service', 'stage', 'target'],
  ]);
  expect(directive.Metrics.map(({ Name }: any) => Name)).toEqual([
    'ConversionReviewDuration',
    'ConversionReviewRequests',
    'ConversionReviewErrors',
    'ConversionObjects',
    'LossyConversions',
    'RulesSkippedAbsent',
    'StashIgnored',
    'ShapeMismatches',
  ]);
  expect(line).toMatchObject({
    service: 'convert',
    stage: 'test',
    target: 'widgets.example.org',
    result: 'success',
    uid: 'u-1',
    from: 'v1',
    to: 'v2',
    revision: '7',
    endpoint: 'eu',
    version: '7',
    ConversionReviewDuration: 3,
    ConversionReviewRequests: 1,
    ConversionReviewErrors: 0,
    ConversionObjects: 2,
    LossyConversions: 1,
    RulesSkippedAbsent: 4,
    StashIgnored: 5,
    ShapeMismatches: 6,
  });
});

test.each(['error', 'bad_request', 'not_registered', 'panic'] as const)('%s counts as an error', (result) => {
  const { lines, telemetry } = collect();
  telemetry.review(record({ result }));
  expect(lines[0]).toMatchObject({ result, ConversionReviewErrors: 1, target: 'other' });
});

test('only the first review of an instance is a cold start', () => {
  const { lines, telemetry } = collect();
  telemetry.review(record());
  telemetry.review(record());
  const cold = lines.filter((line) => line.ColdStart === 1);
  expect(lines).toHaveLength(3);
  expect(cold).toHaveLength(1);
  expect(cold[0]._aws.CloudWatchMetrics[0].Dimensions).toEqual([['service', 'stage']]);
});

test('the fifty-first target and those after it share one series, the others keep theirs', () => {
  const { lines, telemetry } = collect();
  for (let index = 0; index < 60; index++) telemetry.review(record({ target: `t${index}` }));
  telemetry.review(record({ target: 't3' }));
  const targets = lines.filter((line) => 'target' in line).map((line) => line.target);
  expect(new Set(targets).size).toBe(51);
  expect(targets.slice(49, 52)).toEqual(['t49', 'other', 'other']);
  expect(targets.at(-1)).toBe('t3');
});

test('what one line says does not reach the next', () => {
  const { lines, telemetry } = collect();
  telemetry.review(record({ target: 'a', uid: 'u-1' }));
  telemetry.registry({ size: 3, compileMs: 12, compileErrors: 0 });
  const last = lines.at(-1);
  expect(last).toEqual({
    _aws: expect.anything(),
    service: 'convert',
    stage: 'test',
    version: '7',
    RegistrySize: 3,
    RegistryCompileDuration: 12,
    RegistryCompileErrors: 0,
  });
  expect(last._aws.CloudWatchMetrics[0].Dimensions).toEqual([['service', 'stage']]);
});

test('every line names the version that wrote it, and none has it as a dimension', () => {
  const { lines, telemetry } = collect();
  telemetry.review(record({ target: 'a' }));
  telemetry.registry({ size: 1, compileMs: 1, compileErrors: 0 });
  expect(lines.map((line) => line.version)).toEqual(['7', '7', '7']);
  expect(JSON.stringify(lines.map((line) => line._aws))).not.toContain('"version"');
});

test.each([
  [
    { failed: false, durationMs: 40 },
    { SyntheticReviewFailures: 0, SyntheticReviewDuration: 40 },
  ],
  [
    { failed: true, durationMs: 9, reason: 'HTTP 503' },
    { SyntheticReviewFailures: 1, SyntheticReviewDuration: 9, reason: 'HTTP 503' },
  ],
])('a synthetic review %o is one line of its own service', (review, expected) => {
  const lines: any[] = [];
  createSyntheticMetrics({ stage: 'test', print: (line) => lines.push(JSON.parse(line)) }).record(review);
  expect(lines).toEqual([{ _aws: expect.anything(), service: 'synthetic', stage: 'test', ...expected }]);
  expect(lines[0]._aws.CloudWatchMetrics).toEqual([
    {
      Namespace: 'Roundhouse',
      Dimensions: [['service', 'stage']],
      Metrics: [
        { Name: 'SyntheticReviewFailures', Unit: 'Count' },
        { Name: 'SyntheticReviewDuration', Unit: 'Milliseconds' },
      ],
    },
  ]);
});

test('the reason of a failed synthetic review does not stay for the next', () => {
  const lines: any[] = [];
  const telemetry = createSyntheticMetrics({ stage: 'test', print: (line) => lines.push(JSON.parse(line)) });
  telemetry.record({ failed: true, durationMs: 1, reason: 'HTTP 503' });
  telemetry.record({ failed: false, durationMs: 1 });
  expect(lines[1]).not.toHaveProperty('reason');
});
