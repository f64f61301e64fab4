import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../../../../lib/apps/runtime/runtime.ts';
import { createAppBench } from '../../../support/apps.ts';

describe('the list of apps', () => {
  test.each<[object, string[], number]>([
    [{}, ['api', 'shop', 'shop-two'], 3],
    [{ q: 'shop' }, ['shop', 'shop-two'], 2],
    [{ q: 'SHOP', limit: 1 }, ['shop'], 2],
    [{ offset: 1, limit: 1 }, ['shop'], 3],
    [{ offset: 3 }, [], 3],
    [{ limit: 0, offset: -1 }, ['api', 'shop', 'shop-two'], 3],
    [{ limit: Number.NaN, offset: 0.5 }, ['api', 'shop', 'shop-two'], 3],
    [{ limit: 1e9 }, ['api', 'shop', 'shop-two'], 3],
    [{ q: 'none' }, [], 0],
  ])('with %j', async (query, names, total) => {
    const bench = createAppBench();
    for (const name of ['shop', 'api', 'shop-two']) await bench.create(name);
    const list = await bench.apps.list(query);
    expect({ names: list.apps.map(({ name }) => name), total: list.total }).toEqual({ names, total });
  });

  test('has 500 at most', async () => {
    const bench = createAppBench();
    for (let count = 0; count < 501; count += 1) await bench.create(`app-${count}`);
    for (const query of [{}, { limit: 501 }]) {
      const { apps, total } = await bench.apps.list(query);
      expect([apps.length, total]).toEqual([500, 501]);
    }
  });
});

describe('what is asked elsewhere', () => {
  test.each([
    ['throttled', 'UNAVAILABLE'],
    ['unavailable', 'UNAVAILABLE'],
    ['permission_denied', 'BAD_GATEWAY'],
  ] as const)('and answered with %s is %s', async (reason, code) => {
    const bench = createAppBench();
    await bench.create('shop');
    const fail = async () => Promise.reject(new RuntimeError(reason, 'no'));
    bench.deps.logs.read = fail;
    bench.deps.metrics.read = fail;
    bench.deps.artifacts.createUpload = fail;
    const range = { from: 0, to: 1, limit: 1, metric: 'errors', stepMs: 60_000 } as const;
    for (const asked of [
      bench.apps.logs('shop', range),
      bench.apps.metrics('shop', range),
      bench.apps.createArtifact('shop'),
    ]) {
      await expect(asked).rejects.toMatchObject({ code });
    }
  });

  test('needs an app that is there', async () => {
    const bench = createAppBench();
    const range = { from: 0, to: 1, limit: 1, metric: 'errors', stepMs: 60_000 } as const;
    const { apps } = bench;
    for (const asked of [apps.logs('none', range), apps.metrics('none', range), apps.createArtifact('none')]) {
      await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    for (const asked of [
      apps.conditions('none'),
      apps.secrets('none'),
      apps.attempts('none', {}),
      apps.get('constructor'),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
