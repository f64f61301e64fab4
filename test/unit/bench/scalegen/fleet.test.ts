import { describe, expect, test } from 'vitest';
import { prepare } from '../../../../lib/configs/prepare.ts';
import { compile } from '../../../../lib/engine/compile.ts';
import type { JsonObject } from '../../../../lib/engine/json.ts';
import { createRun } from '../../../../lib/engine/run.ts';
import { strategies } from '../../../../lib/engine/strategies/index.ts';
import { DEFAULT_SHAPE } from '../../../bench/scalegen/assignment.ts';
import { compileExpectation } from '../../../bench/scalegen/expectation.ts';
import { renderFleet } from '../../../bench/scalegen/fleet.ts';
import { GROUP, SLOTS, type Slot } from '../../../bench/scalegen/slots.ts';
import { renderTarget } from '../../../bench/scalegen/target.ts';

/** In the order of the catalogue: what an object that was created at the spoke has at the hub, and whether that is called lossy. */
const AT_HUB: readonly [strategy: string, spec: JsonObject, lossy: '' | 'lossy', metadata?: JsonObject][] = [
  ['FieldRename', { storageGB: '10' }, ''],
  ['TypeCoerce', { replicas: '3' }, ''],
  ['EnumRemap', { tier: 'Standard' }, ''],
  ['NumericScale', { bytes: 0.001 }, ''],
  ['ListJoin', { tags: ['a', 'b'] }, ''],
  ['ListSplit', { csv: 'a,b' }, ''],
  ['Quantity', { cpuRequest: '500m' }, 'lossy'],
  ['Duration', { timeout: '5s' }, 'lossy'],
  ['MapKeyRename', { extra: { app: 'w', keep: 'yes' } }, ''],
  ['ArrayToMapByKey', { zones: [{ name: 'a', cidr: '10.0.0.0/24' }] }, 'lossy'],
  ['MapToArrayByKey', { limits: { a: { cidr: '10.0.0.0/24' } } }, 'lossy'],
  ['ForEach', { volumes: [{ name: 'd0', sizeGB: 10 }] }, ''],
  ['ScalarToObject', { ver: '1' }, ''],
  ['ObjectToScalar', { rel: { major: '1' } }, ''],
  ['SingletonArrayToObject', { zoneList: [{ name: 'a' }] }, 'lossy'],
  ['ObjectToSingletonArray', { primary: { name: 'a' } }, ''],
  ['FieldsToMap', { env: 'dev', team: 'core' }, ''],
  ['MapToFields', { meta: { owner: 'a', group: 'b' } }, ''],
  ['ToAnnotation', {}, ''],
  ['ToLabel', {}, ''],
  ['FromAnnotation', {}, 'lossy', { annotations: { [`${GROUP}/note`]: 'hi' } }],
  ['FromLabel', {}, 'lossy', { labels: { lane: 'gold' } }],
  ['DefaultValue', { minReplicas: 1 }, 'lossy'],
  ['Constant', { fixed: 'x' }, 'lossy'],
  ['Delete', {}, 'lossy'],
  ['JSONPatch', { flag: 'hub' }, 'lossy'],
  ['ScalarToFields', { size: '10Gi' }, 'lossy'],
  ['FieldsToScalar', { capValue: '10', capUnit: 'Gi' }, 'lossy'],
  ['CEL', { packed: 1025 }, 'lossy'],
];

/** What comes back to the spoke: everything but a deleted field. */
const backFrom = ({ debug, ...rest }: JsonObject) => rest;

describe('the catalogue', () => {
  test('has a slot for each strategy, in its order', () => {
    expect(SLOTS.map(({ strategy }) => strategy)).toEqual(AT_HUB.map(([strategy]) => strategy));
    expect(new Set(AT_HUB.map(([strategy]) => strategy))).toEqual(new Set(strategies.map(({ name }) => name)));
  });

  test.each(AT_HUB)('%s converts its sample to %j and back', async (strategy, spec, lossy, more) => {
    const slot = SLOTS.find((found) => found.strategy === strategy) as Slot;
    expect('acknowledgeLossy' in slot.rule).toBe(lossy === 'lossy');
    const shared = { fixture: { type: 'string' } };
    const { crd, config } = renderTarget({ kind: 'Widget', hub: 'v3', spokes: { v1: [slot] }, shared });
    const router = compile((await prepare(crd.metadata.name, { config, schema: crd })).analysis);
    const metadata = { name: 'w', uid: 'u' };
    const stored = router.convert(
      { metadata, spec: { ...slot.sample, fixture: 'ok' } },
      'v1',
      'v3',
      createRun('review'),
    );
    expect(stored).toEqual({ metadata: { ...metadata, ...more }, spec: { ...spec, fixture: 'ok' } });
    const back = router.convert(stored, 'v3', 'v1', createRun('review'));
    expect(back).toEqual({ metadata, spec: { ...backFrom(slot.sample), fixture: 'ok' } });
  });
});

describe('a fleet', () => {
  test.each([
    ['4 targets', { targets: 4 }],
    ['100 targets', { targets: 100 }],
    ['another seed', { targets: 10, seed: 5 }],
    ['all strategies at each spoke', { targets: 2, strategiesMin: 29, strategiesMax: 29 }],
  ])('of %s compiles, and its objects convert to the hub and on to either spoke', async (_what, shape) => {
    for (const target of renderFleet({ ...DEFAULT_SHAPE, ...shape }, 1)) {
      const expectation = await compileExpectation(target);
      const [created] = target.instances as readonly any[];
      expect(expectation('v1')).toEqual([{ ...created, spec: backFrom(created.spec) }]);
      expect(expectation('v2')).toMatchObject([
        { apiVersion: `${GROUP}/v2`, kind: created.kind, spec: { fixture: 'ok' } },
      ]);
    }
  });

  test('has numbered CRDs, configs and objects', () => {
    const fleet = renderFleet({ ...DEFAULT_SHAPE, targets: 12 }, 11);
    const { crd, config, instances } = fleet[11] as (typeof fleet)[number];
    expect(crd).toMatchObject({
      metadata: { name: 'widget011s.scale.dco.example.org' },
      spec: {
        group: 'scale.dco.example.org',
        scope: 'Namespaced',
        names: { kind: 'Widget011', plural: 'widget011s', singular: 'widget011', categories: ['widgets'] },
        versions: [
          { name: 'v3', served: true, storage: true },
          { name: 'v1', served: true, storage: false },
          { name: 'v2', served: true, storage: false },
        ],
      },
    });
    expect(config).toMatchObject({
      metadata: { name: 'widget011s.scale.dco.example.org-conversion' },
      spec: { hubVersion: 'v3', unmappedFieldPolicy: 'Warn', spokes: [{ version: 'v1' }, { version: 'v2' }] },
    });
    expect(instances).toHaveLength(11);
    expect(instances[10]).toMatchObject({
      apiVersion: 'scale.dco.example.org/v1',
      kind: 'Widget011',
      metadata: { name: 'obj-010' },
      spec: { fixture: 'ok' },
    });
  });
});
