import { getOwn, type JsonObject, jsonEqual } from '../../../lib/engine/json.ts';
import type { KubeClient } from '../../e2e/support/kube-client.ts';
import { createTarget, type Roundhouse } from '../../e2e/support/roundhouse.ts';
import { compileExpectation, type Expectation, withoutServerMetadata } from './expectation.ts';
import { CREATED_AT, type FleetTarget, HUB } from './fleet.ts';
import { inParallel } from './in-parallel.ts';
import { GROUP } from './slots.ts';

interface FleetRun {
  readonly apiserver: KubeClient;
  readonly roundhouse: Roundhouse;
  readonly fleet: readonly FleetTarget[];
  readonly namespace: string;
  /** How many calls are under way at a time. */
  readonly parallel: number;
}

/** Calls of one kind; the text of each that failed. */
export interface Phase {
  readonly name: string;
  readonly calls: number;
  readonly seconds: number;
  readonly failures: readonly string[];
}

/** An object that the server does not answer as the engine makes it; undefined where there is none. */
interface Difference {
  readonly object: string;
  readonly version: string;
  readonly expected: JsonObject | undefined;
  readonly received: JsonObject | undefined;
}

export interface FleetReport {
  readonly targets: number;
  readonly objects: number;
  /** Configs in Roundhouse, CRDs served. */
  readonly setUpSeconds: number;
  readonly phases: readonly Phase[];
  /** Calls of the apiserver to Roundhouse, by result, as its own metrics count them. */
  readonly conversions: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
}

/**
 * Brings a fleet to an apiserver that has nothing of it, creates its objects at v1, lists them at v1, v2 and v3, and
 * compares each with what the engine makes of it in this process. An apiserver holds back for 2 s each object that is
 * created within 2 s of its CRD: so much is in the seconds.
 */
export async function runFleet(run: FleetRun): Promise<FleetReport> {
  const { apiserver, roundhouse, namespace, parallel } = run;
  const fleet = await Promise.all(run.fleet.map(withExpectation));
  const start = performance.now();
  await inParallel(fleet, parallel, (target) => createTarget(apiserver, roundhouse, target));
  const setUpSeconds = secondsSince(start);
  const before = await countConversions(apiserver);

  const objects = fleet.flatMap(({ crd, instances }) => instances.map((body) => ({ crd, body })));
  const { phase: created } = await runPhase(`Create ${CREATED_AT}`, objects, parallel, ({ crd, body }) =>
    apiserver.ask('POST', pathOf(crd, CREATED_AT, namespace), { body }),
  );
  const phases = [created];
  const differences: Difference[] = [];
  for (const version of ['v1', 'v2', HUB]) {
    const { phase, answers } = await runPhase(`List ${version}`, fleet, parallel, ({ crd }) =>
      apiserver.ask('GET', pathOf(crd, version, namespace)),
    );
    phases.push(phase);
    for (const [target, { items }] of answers) differences.push(...compare(target, version, items));
  }
  const conversions = subtract(await countConversions(apiserver), before);
  return { targets: fleet.length, objects: objects.length, setUpSeconds, phases, conversions, differences };
}

export function pathOf({ spec }: FleetTarget['crd'], version: string, namespace: string): string {
  return `/apis/${GROUP}/${version}/namespaces/${namespace}/${spec.names.plural}`;
}

async function runPhase<T>(name: string, items: readonly T[], parallel: number, call: (item: T) => Promise<any>) {
  const failures: string[] = [];
  const answers: [T, any][] = [];
  const start = performance.now();
  await inParallel(items, parallel, async (item) => {
    try {
      answers.push([item, await call(item)]);
    } catch (error) {
      failures.push((error as Error).message);
    }
  });
  const phase: Phase = { name, calls: items.length, seconds: secondsSince(start), failures };
  return { phase, answers };
}

interface ExpectedTarget extends FleetTarget {
  readonly expectation: Expectation;
}

async function withExpectation(target: FleetTarget): Promise<ExpectedTarget> {
  return { ...target, expectation: await compileExpectation(target) };
}

function compare({ crd, expectation }: ExpectedTarget, version: string, items: readonly JsonObject[]): Difference[] {
  const expected = byName(expectation(version));
  const received = byName(items.map(withoutServerMetadata));
  return [...new Set([...expected.keys(), ...received.keys()])]
    .map((name) => ({
      object: `${crd.spec.names.plural}/${name}`,
      version,
      expected: expected.get(name),
      received: received.get(name),
    }))
    .filter(({ expected, received }) => !jsonEqual(expected, received));
}

const byName = (objects: readonly JsonObject[]) =>
  new Map(objects.map((object) => [String(getOwn(object['metadata'] as JsonObject, 'name')), object]));

async function countConversions(apiserver: KubeClient): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const metrics: string = await apiserver.ask('GET', '/metrics');
  for (const [, result = '', count] of metrics.matchAll(COUNTER))
    counts[result] = (counts[result] ?? 0) + Number(count);
  return counts;
}

/** One line for each kind of failure. */
const COUNTER = /^apiserver_conversion_webhook_request_total\{.*result="(\w+)".*\} (\S+)$/gm;

function subtract(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([key, count]) => [key, count - (before[key] ?? 0)]));
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
