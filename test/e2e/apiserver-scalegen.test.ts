import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Assignment, assign, DEFAULT_SHAPE, type FleetShape } from '../bench/scalegen/assignment.ts';
import { renderFleet } from '../bench/scalegen/fleet.ts';
import { type FleetReport, pathOf, runFleet } from '../bench/scalegen/run.ts';
import { SLOTS } from '../bench/scalegen/slots.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { keepMeasurement } from './support/measurements.ts';
import { startRoundhouse } from './support/roundhouse.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const TARGETS = 20;
const INSTANCES = 5;
const PARALLEL = 8;
const NAMESPACE = 'default';

const runs = canRun('apiserver', APISERVER_TOOLS);

/**
 * With so many strategies a spoke, each strategy is also at both spokes of a CRD, where what v1 wrote is read at v2.
 * `npm run scalegen -- --targets N` does the same with any other fleet.
 */
const SHAPE: FleetShape = { ...DEFAULT_SHAPE, targets: TARGETS, strategiesMax: SLOTS.length };

describe.runIf(runs)(`a fleet of ${TARGETS} CRDs on a kube-apiserver`, () => {
  const assignments = assign(SHAPE);
  const fleet = renderFleet(SHAPE, INSTANCES);
  let workbench: Workbench;
  let apiserver: Apiserver;
  let report: FleetReport;

  beforeAll(async () => {
    workbench = openWorkbench();
    const [started, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    apiserver = started;
    report = await runFleet({ apiserver, roundhouse, fleet, namespace: NAMESPACE, parallel: PARALLEL });
    keepMeasurement('scalegen', report);
  });

  afterAll(() => workbench.close());

  test('has every strategy at both spokes', () => {
    const shared = assignments.flatMap(({ v1, v2 }) => v1.filter((slot) => v2.includes(slot)));
    expect(new Set(shared)).toEqual(new Set(SLOTS));
  });

  test('is created at v1 and listed at v1, v2 and v3 without a failed call', () => {
    expect(report.phases.map(({ name, calls }) => [name, calls])).toEqual([
      ['Create v1', TARGETS * INSTANCES],
      ['List v1', TARGETS],
      ['List v2', TARGETS],
      ['List v3', TARGETS],
    ]);
    expect(report.phases.flatMap(({ failures }) => failures)).toEqual([]);
  });

  test('is converted by Roundhouse, without a failed call', () => {
    const { success, ...others } = report.conversions;
    // Each object at least to the hub, and from there to v1 and to v2.
    expect(success).toBeGreaterThanOrEqual(3 * TARGETS * INSTANCES);
    expect(others).toEqual({});
  });

  test('reads at every version as the engine converts it', () => {
    expect(report.differences).toEqual([]);
  });

  test.each(['v1', 'v2'] as const)('has at %s what v1 wrote, but for what the rules are made to change', async (to) => {
    for (const [index, { crd }] of fleet.entries()) {
      const { items } = await apiserver.ask('GET', pathOf(crd, to, NAMESPACE));
      const spec = specAt(to, assignments[index] as Assignment);
      expect(items.map((item: any) => ({ name: item.metadata.name, spec: item.spec }))).toEqual(
        Array.from({ length: INSTANCES }, (_, at) => ({ name: `obj-00${at}`, spec })),
      );
    }
  });
});

/** Without the engine: values come back where both spokes have the strategy, unless it is Delete; JSONPatch writes one. */
function specAt(version: 'v1' | 'v2', assignment: Assignment): object {
  const met = assignment[version].filter((slot) => assignment.v1.includes(slot) && slot.strategy !== 'Delete');
  const patched = assignment[version].filter(({ strategy }) => strategy === 'JSONPatch');
  return Object.assign({ fixture: 'ok' }, ...[...met, ...patched].map(({ sample }) => sample));
}
