import { expect, test } from 'vitest';
import {
  createApiMetrics,
  createReconcileMetrics,
  createWorkerMetrics,
  type DeployRecord,
} from '../../../lib/telemetry/app-metrics.ts';

function collect() {
  const lines: any[] = [];
  return { lines, options: { stage: 'test', print: (line: string) => lines.push(JSON.parse(line)) } };
}

const metrics = (...names: readonly [name: string, unit: string][]) => [
  {
    Namespace: 'Roundhouse',
    Dimensions: [['service', 'stage']],
    Metrics: names.map(([Name, Unit]) => ({ Name, Unit })),
  },
];

const deploy: DeployRecord = { result: 'succeeded', durationMs: 4_200, app: 'shop', attempt: 'dep_AAAAAQECAwQF' };

test.each([
  [deploy, { Deploys: 1, DeploysFailed: 0, DeployDuration: 4_200, result: 'succeeded' }],
  [
    { ...deploy, result: 'failed', code: 'oom_killed' },
    { Deploys: 1, DeploysFailed: 1, DeployDuration: 4_200, result: 'failed', code: 'oom_killed' },
  ],
] as const)('a deploy %o is one line, with its app as a property', (record, expected) => {
  const { lines, options } = collect();
  createWorkerMetrics(options).deploy(record);
  const common = { _aws: expect.anything(), service: 'worker', stage: 'test', app: 'shop', attempt: deploy.attempt };
  expect(lines).toEqual([{ ...common, ...expected }]);
  expect(lines[0]._aws.CloudWatchMetrics).toEqual(
    metrics(['Deploys', 'Count'], ['DeploysFailed', 'Count'], ['DeployDuration', 'Milliseconds']),
  );
});

test('why one deploy failed does not stay for the next', () => {
  const { lines, options } = collect();
  const telemetry = createWorkerMetrics(options);
  telemetry.deploy({ ...deploy, result: 'failed', code: 'oom_killed' });
  telemetry.deploy(deploy);
  expect(lines[1]).not.toHaveProperty('code');
});

test('a pass is one line, and 0 calls are published as 0', () => {
  const { lines, options } = collect();
  createReconcileMetrics(options).pass({ pass: 'fast', durationMs: 12, calls: 0, sent: 0 });
  const common = { _aws: expect.anything(), service: 'reconcile', stage: 'test' };
  expect(lines).toEqual([{ ...common, pass: 'fast', sent: '0', ReconcileDuration: 12, ReconcileCalls: 0 }]);
  expect(lines[0]._aws.CloudWatchMetrics).toEqual(
    metrics(['ReconcileDuration', 'Milliseconds'], ['ReconcileCalls', 'Count']),
  );
});

test('a request that was refused for its rate is one line, which names the tier and not the caller', () => {
  const { lines, options } = collect();
  createApiMetrics(options).rateLimited('write');
  const common = { _aws: expect.anything(), service: 'api', stage: 'test' };
  expect(lines).toEqual([{ ...common, tier: 'write', RateLimited: 1 }]);
  expect(lines[0]._aws.CloudWatchMetrics).toEqual(metrics(['RateLimited', 'Count']));
});
