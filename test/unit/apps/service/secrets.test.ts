import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../../../../lib/apps/runtime/runtime.ts';
import { renderApp, renderListItem, renderSecrets } from '../../../../lib/apps/views.ts';
import { CALLER, createAppBench, IMAGE } from '../../../support/apps.ts';

const CANARY = 'canary-5f1d';

async function liveBench() {
  const bench = createAppBench();
  await bench.create('shop', { image: IMAGE });
  await bench.succeed('shop');
  return bench;
}

describe('a secret', () => {
  test('keeps its value elsewhere; the app has its name, its time and a fingerprint', async () => {
    const bench = await liveBench();
    await bench.clock.advance(1000);
    const record = await bench.apps.putSecret('shop', 'TOKEN', { value: CANARY });
    expect(bench.parameters).toEqual(new Map([['shop/TOKEN', CANARY]]));
    expect(record).toEqual({
      locked: false,
      updatedAt: bench.clock.now(),
      fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(renderSecrets(await bench.apps.secrets('shop'))).toEqual([
      { key: 'TOKEN', locked: false, updated_at: '2026-01-01T00:00:01.000Z', fingerprint: record.fingerprint },
    ]);
    expect(renderApp(await bench.apps.get('shop'))).toMatchObject({
      secret_env: ['TOKEN'],
      env_dirty: true,
      generation: 2,
    });
    expect(JSON.stringify(bench.store.all())).not.toContain(CANARY);
  });

  test('has the same fingerprint for the same value, and another one in another app', async () => {
    const bench = await liveBench();
    await bench.create('other');
    const fingerprints = [];
    for (const [app, value] of [
      ['shop', 'x'],
      ['shop', 'y'],
      ['shop', 'x'],
      ['other', 'x'],
    ] as const) {
      fingerprints.push((await bench.apps.putSecret(app, 'TOKEN', { value })).fingerprint);
    }
    expect(fingerprints[0]).toBe(fingerprints[2]);
    expect(new Set(fingerprints).size).toBe(3);
  });

  test.each([
    ['TOKEN', '', '/value', 'must not be empty'],
    ['TOKEN', `${CANARY}${'x'.repeat(4096)}`, '/value', 'is too long: 4107 bytes'],
    ['TOKEN', 'ä'.repeat(2049), '/value', 'is too long: 4098 bytes'],
    ['TOKEN', `${CANARY}\0`, '/value', 'NUL'],
    ['PORT', CANARY, '/key', 'is reserved'],
    ['AWS_REGION', CANARY, '/key', 'is reserved'],
    ['__proto__', CANARY, '/key', 'begin with a letter'],
    ['a/b', CANARY, '/key', 'begin with a letter'],
    ['K'.repeat(256), CANARY, '/key', 'is too long'],
  ])('%s with a bad name or value is refused without its value', async (key, value, pointer, text) => {
    const bench = await liveBench();
    const before = bench.store.all();
    const put = bench.apps.putSecret('shop', key, { value });
    await expect(put).rejects.toMatchObject({ code: 'BAD_REQUEST', details: { errors: [{ pointer }] } });
    const error = await put.catch((error) => error);
    expect(error.message).toContain(text);
    expect(JSON.stringify([error.message, error.details])).not.toContain(CANARY);
    expect({ items: bench.store.all(), values: bench.parameters.size }).toEqual({ items: before, values: 0 });
  });

  test('has a fingerprint that nobody can compute from what the API shows', async () => {
    const bench = await liveBench();
    const { fingerprint } = await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    const app = await bench.apps.get('shop');
    expect(fingerprint).not.toBe(createHmac('sha256', app.appId).update('x').digest('hex').slice(0, 12));
    expect(app.fingerprintKey).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify([renderListItem(app), renderSecrets(app.secrets)])).not.toContain(app.fingerprintKey);
  });

  test('of the longest value is kept', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'constructor', { value: 'x'.repeat(4096) });
    expect(Object.keys(await bench.apps.secrets('shop'))).toEqual(['constructor']);
  });

  test('that is locked is not overwritten or removed unless that is asked for', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    await bench.apps.lockSecret('shop', 'TOKEN', true);
    for (const refused of [
      bench.apps.putSecret('shop', 'TOKEN', { value: CANARY }),
      bench.apps.removeSecret('shop', 'TOKEN'),
    ]) {
      await expect(refused).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('TOKEN of the app shop is locked'),
      });
    }
    expect(bench.parameters.get('shop/TOKEN')).toBe('x');
    expect((await bench.apps.putSecret('shop', 'TOKEN', { value: 'y', overwriteLocked: true })).locked).toBe(true);
    await bench.apps.removeSecret('shop', 'TOKEN', { overwriteLocked: true });
    expect(bench.parameters.size).toBe(0);
  });

  test('can be unlocked, and locking is no change of what the app should be', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    const before = await bench.apps.get('shop');
    await bench.apps.lockSecret('shop', 'TOKEN', true);
    await bench.apps.lockSecret('shop', 'TOKEN', false);
    await bench.apps.lockSecret('shop', 'TOKEN', false);
    expect(await bench.apps.get('shop')).toMatchObject({
      generation: before.generation,
      version: before.version + 2,
      secrets: before.secrets,
    });
  });

  test.each(['NONE', 'constructor', '__proto__'])('%s that is not there cannot be locked or removed', async (key) => {
    const bench = await liveBench();
    await expect(bench.apps.lockSecret('shop', key, true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(bench.apps.removeSecret('shop', key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of an app that is not there, or is being removed, is not kept anywhere', async () => {
    const bench = await liveBench();
    await expect(bench.apps.putSecret('none', 'TOKEN', { value: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bench.apps.remove('shop', CALLER);
    await expect(bench.apps.putSecret('shop', 'TOKEN', { value: 'x' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(bench.parameters.size).toBe(0);
  });

  test('is one of 50', async () => {
    const bench = await liveBench();
    for (let count = 0; count < 50; count += 1) await bench.apps.putSecret('shop', `KEY_${count}`, { value: 'x' });
    await expect(bench.apps.putSecret('shop', 'MORE', { value: 'x' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await bench.apps.putSecret('shop', 'KEY_1', { value: 'y' });
    expect(bench.parameters.size).toBe(50);
  });
});

describe('when things go wrong on the way of a secret', () => {
  test('a value that cannot be kept is not recorded, and the error has no value', async () => {
    const bench = await liveBench();
    bench.deps.secretValues.put = async () => Promise.reject(new RuntimeError('permission_denied', 'no'));
    const error = await bench.apps.putSecret('shop', 'TOKEN', { value: CANARY }).catch((error) => error);
    expect(error).toMatchObject({ code: 'BAD_GATEWAY' });
    expect(error.message).not.toContain(CANARY);
    expect(await bench.apps.secrets('shop')).toEqual({});
  });

  test('a value that cannot be removed stays recorded', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    bench.deps.secretValues.remove = async () => Promise.reject(new RuntimeError('throttled', 'slow down'));
    await expect(bench.apps.removeSecret('shop', 'TOKEN')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await bench.apps.secrets('shop')).toHaveProperty('TOKEN');
  });

  test('of two writers of one secret the recorded value is the kept one', async () => {
    const bench = await liveBench();
    await Promise.all(['one', 'two', 'three'].map((value) => bench.apps.putSecret('shop', 'TOKEN', { value })));
    const { TOKEN: recorded } = await bench.apps.secrets('shop');
    const kept = bench.parameters.get('shop/TOKEN') ?? '';
    expect((await bench.apps.putSecret('shop', 'TOKEN', { value: kept })).fingerprint).toBe(recorded?.fingerprint);
  });

  test('a value is written again when the app was changed meanwhile', async () => {
    const bench = await liveBench();
    const { put } = bench.deps.secretValues;
    let puts = 0;
    bench.deps.secretValues.put = async (app, key, value) => {
      await put(app, key, value);
      puts += 1;
      if (puts > 1) return;
      await bench.work('shop', {});
      await put(app, key, 'of another writer');
    };
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'mine' });
    expect({ puts, kept: bench.parameters.get('shop/TOKEN') }).toEqual({ puts: 2, kept: 'mine' });
  });

  test('a value goes again when its app is removed in the same moment', async () => {
    const bench = await liveBench();
    const { put } = bench.deps.secretValues;
    bench.deps.secretValues.put = async (app, key, value) => {
      await put(app, key, value);
      await bench.apps.remove('shop', CALLER);
    };
    await expect(bench.apps.putSecret('shop', 'TOKEN', { value: 'x' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(bench.parameters.size).toBe(0);
  });

  test('a value stays when the secret was locked in the same moment: it was there before', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'old' });
    const { put } = bench.deps.secretValues;
    bench.deps.secretValues.put = async (app, key, value) => {
      await put(app, key, value);
      await bench.apps.lockSecret('shop', 'TOKEN', true);
    };
    await expect(bench.apps.putSecret('shop', 'TOKEN', { value: 'new' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(bench.parameters.has('shop/TOKEN')).toBe(true);
  });
});
