import { beforeEach, describe, expect, test } from 'vitest';
import { hasWork, workDueAt } from '../../../../lib/apps/attention.ts';
import { loadApp } from '../../../../lib/apps/records.ts';
import type { Runtime } from '../../../../lib/apps/runtime/runtime.ts';
import { RuntimeError } from '../../../../lib/apps/runtime/runtime.ts';
import { domainKey } from '../../../../lib/store/keys.ts';
import { createMemoryStore } from '../../../support/memory-store.ts';
import { createJumpClock, createWorkBench } from '../../../support/work-bench.ts';

const MINUTE = 60_000;
const clock = createJumpClock();
let store = createMemoryStore(clock);
let bench = createWorkBench({ clock, store });

beforeEach(async () => {
  store = createMemoryStore(clock);
  bench = createWorkBench({ clock, store });
  for (const name of ['shop', 'other']) {
    bench.belongings.artifacts.set(`${name}/a1`, { versionId: 'v1', bytes: 10 });
    bench.belongings.artifacts.set(`${name}/never-deployed`, { versionId: 'v1', bytes: 10 });
    bench.belongings.secrets.add(`${name}/KEY`);
    await bench.create(name, { domains: [`${name}.example.com`] });
    for (const domain of [`${name}.example.com`, `left-${name}.example.com`]) {
      await store.put({ ...domainKey(domain), app: name, appId: `app_${name}`, at: 0, claimId: domain });
    }
    for (let count = 0; count < 2; count += 1) {
      await bench.request({}, name);
      await bench.worker.work(name, MINUTE);
    }
  }
  await store.put({ ...domainKey('taken.example.com'), app: 'shop', appId: 'app_an-older-one', at: 0, claimId: 'x' });
  bench.runtime.calls.length = 0;
});

/** Everything of an app, wherever it is. */
function whatIsLeft(name: string): string[] {
  const { roles, logGroups, secrets, artifacts } = bench.belongings;
  const things = [...roles, ...logGroups, ...secrets, ...artifacts.keys(), ...bench.runtime.functions.keys()];
  const items = store.all().filter((item) => item['appId'] === `app_${name}` || item.pk === `APP#${name}`);
  return [...things.filter((thing) => thing.split('/')[0] === name), ...items.map(({ pk, sk }) => `${pk}/${sk}`)];
}

describe('a deletion (R44)', () => {
  test('removes everything of the app, and nothing of another one', async () => {
    const other = whatIsLeft('other');
    await bench.remove();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(whatIsLeft('shop')).toEqual([]);
    expect(await loadApp(bench.deps, 'shop')).toBeUndefined();
    expect(whatIsLeft('other')).toEqual(other);
    expect(store.all().some(({ sk }) => sk === 'taken.example.com')).toBe(true);
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
  });

  test('ends the traffic first, and removes the item last', async () => {
    const writes: string[] = [];
    store.beforeWrite = ({ pk }) => void writes.push(pk);
    await bench.remove();
    await bench.worker.work('shop', MINUTE);
    expect(bench.runtime.calls).toEqual(['setConcurrency shop', 'remove shop']);
    expect(writes.at(-1)).toBe('APPS');
    expect(writes.lastIndexOf('APP#shop')).toBeLessThan(writes.length - 1);
  });

  test('ends an attempt that is under way as canceled, and starts nothing more', async () => {
    await bench.request();
    bench.runtime.before = async (method) => {
      if (method !== 'updateSettings') return;
      bench.runtime.before = () => {};
      await bench.remove();
      bench.runtime.refuse('remove', 'permission_denied');
    };
    expect(await bench.worker.work('shop', MINUTE)).toBe('later');
    const app = await bench.app();
    expect(app.attempt).toMatchObject({ status: 'canceled', canceledBy: 'ada' });
    expect(bench.runtime.calls.filter((call) => /^(publish|invoke|setAlias)/.test(call))).toEqual([]);
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(whatIsLeft('shop')).toEqual([]);
  });

  test.each([
    [
      'runtime',
      'remove',
      ['function roundhouse_test_shop', 'log group /roundhouse/test/shop', 'role roundhouse_test_shop'],
    ],
    [
      'runtime',
      'setConcurrency',
      ['function roundhouse_test_shop', 'log group /roundhouse/test/shop', 'role roundhouse_test_shop'],
    ],
    ['logGroups', 'remove', ['log group /roundhouse/test/shop']],
    ['roles', 'remove', ['role roundhouse_test_shop']],
    ['secretValues', 'removeAll', ['parameters under /roundhouse/test/shop']],
    ['artifacts', 'removeAll', ['packages of shop']],
  ] as const)(
    'lists what %s.%s refuses, goes on with the rest, and comes back later',
    async (port, method, resources) => {
      const target = bench.deps[port] as unknown as Record<string, unknown>;
      const real = target[method];
      target[method] = async () => {
        throw new RuntimeError('permission_denied', 'AWS says no.');
      };
      await bench.remove();
      expect(await bench.worker.work('shop', MINUTE)).toBe('later');
      const app = await bench.app();
      expect(app.deletion?.leftovers.map(({ resource }) => resource)).toEqual(resources);
      expect(app.deletion?.leftovers[0]?.reason).toBe('permission_denied: AWS says no.');
      expect(app.lease).toBeUndefined();
      expect(hasWork(app)).toBe(true);
      expect(workDueAt(app)).toBe(app.retry?.at);
      expect(store.all().some(({ sk }) => sk === 'shop.example.com')).toBe(false);
      target[method] = real;
      expect(await bench.worker.work('shop', MINUTE)).toBe('done');
      expect(whatIsLeft('shop')).toEqual([]);
    },
  );

  test('waits longer each time, up to 15 minutes', async () => {
    bench.runtime.refuse('remove', 'permission_denied', { times: 20 });
    await bench.remove();
    const waits: number[] = [];
    for (let tries = 0; tries < 9; tries += 1) {
      await bench.worker.work('shop', MINUTE);
      const { retry } = await bench.app();
      waits.push(Math.round(((retry?.at ?? 0) - clock.now()) / 1_000));
    }
    expect(waits).toEqual([23, 45, 90, 180, 360, 675, 675, 675, 675]);
  });

  test('takes a message more when there is too little time', async () => {
    await bench.remove();
    const slow = bench.runtime as unknown as Record<keyof Runtime, unknown>;
    const real = slow.remove as (app: string) => Promise<void>;
    slow.remove = async (app: string) => {
      clock.jump(50_000);
      await real(app);
    };
    expect(await bench.worker.work('shop', MINUTE)).toBe('again');
    expect((await bench.app()).lease).toBeUndefined();
    slow.remove = real;
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(whatIsLeft('shop')).toEqual([]);
  });

  test('of an app that never had anything needs no call that fails', async () => {
    await bench.create('bare');
    await bench.remove('bare');
    expect(await bench.worker.work('bare', MINUTE)).toBe('done');
    expect(await loadApp(bench.deps, 'bare')).toBeUndefined();
  });
});
