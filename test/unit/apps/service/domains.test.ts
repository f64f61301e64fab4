import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../lib/errors.ts';
import { CALLER, createAppBench, IMAGE } from '../../../support/apps.ts';

const A = 'a.example.org';
const B = 'b.example.org';

type Bench = ReturnType<typeof createAppBench>;

function claimsOf({ store }: Bench): Record<string, unknown> {
  return Object.fromEntries(store.all().flatMap(({ pk, sk, app }) => (pk === 'DOMAINS' ? [[sk, app]] : [])));
}

/** Every domain that an app lists has a claim of exactly this app. */
async function expectClaimed(bench: Bench): Promise<void> {
  const listed = await bench.apps.domains();
  const claims = claimsOf(bench);
  for (const { domain, app } of listed) expect(claims).toMatchObject({ [domain]: app });
  expect(new Set(listed.map(({ domain }) => domain)).size).toBe(listed.length);
}

describe('domains', () => {
  test('are claimed by the app that lists them, and listed over all apps', async () => {
    const bench = createAppBench();
    await bench.create('two', { domains: ['z.example.org', '*.example.org'] });
    await bench.create('one', { domains: [B] });
    expect(await bench.apps.domains()).toEqual([
      { domain: '*.example.org', app: 'two' },
      { domain: B, app: 'one' },
      { domain: 'z.example.org', app: 'two' },
    ]);
    await expectClaimed(bench);
  });

  test('of another app are refused by name of domain and owner, and claims made before are taken back', async () => {
    const bench = createAppBench();
    await bench.create('one', { domains: [B] });
    const refused = {
      code: 'CONFLICT',
      message: expect.stringMatching(/^The domain b\.example\.org belongs to the app one\./),
    };
    await expect(bench.create('two', { domains: [A, B] })).rejects.toMatchObject(refused);
    await bench.create('two');
    await expect(bench.replace('two', { domains: [A, B] })).rejects.toMatchObject(refused);
    expect(claimsOf(bench)).toEqual({ [B]: 'one' });
    expect((await bench.apps.get('two')).spec.domains).toEqual([]);
  });

  test('that a PUT drops are free at once, and those of a stopped app are not', async () => {
    const bench = createAppBench();
    await bench.create('one', { domains: [A, B] });
    await bench.apps.stop('one', CALLER);
    await bench.replace('one', { domains: [B] });
    await bench.create('two', { domains: [A] });
    await bench.clock.advance(3_600_000);
    await expect(bench.create('three', { domains: [B] })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expectClaimed(bench);
  });

  test('can move from one app to another', async () => {
    const bench = createAppBench();
    await bench.create('one', { domains: [A] });
    await bench.create('two');
    await bench.replace('one', {});
    await bench.replace('two', { domains: [A] });
    expect(claimsOf(bench)).toEqual({ [A]: 'two' });
  });

  test('are not claimed by a request that fails for another reason', async () => {
    const bench = createAppBench();
    await bench.create('one', { image: IMAGE });
    const input = bench.parse({ image: IMAGE, domains: [A] }, 'one');
    await expect(bench.apps.replace('one', input, CALLER, { ifMatch: '"x"' })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(claimsOf(bench)).toEqual({});
  });

  test('are taken back when the app is refused', async () => {
    const bench = createAppBench();
    await bench.create('one');
    bench.store.beforeWrite = ({ pk }) => {
      if (pk === 'APPS') throw new AppError('TOO_LARGE', 'refused');
    };
    await expect(bench.replace('one', { domains: [A] })).rejects.toThrow('refused');
    await expect(bench.create('two', { domains: [B] })).rejects.toThrow('refused');
    expect(claimsOf(bench)).toEqual({});
  });

  test.each([
    ['an error of ours', new AppError('UNAVAILABLE', 'no answer')],
    ['any other error', new Error('no answer')],
  ])('stay while %s leaves open whether the app was written, which may have them', async (_what, error) => {
    const bench = createAppBench();
    const put = bench.store.put;
    bench.store.put = async (item, condition) => {
      await put(item, condition);
      if (item.pk === 'APPS') throw error;
    };
    await expect(bench.create('one', { domains: [A] })).rejects.toThrow('no answer');
    bench.store.put = put;
    expect((await bench.apps.get('one')).spec.domains).toEqual([A]);
    expect(Object.keys(claimsOf(bench))).toEqual([A]);
    await expect(bench.create('two', { domains: [A] })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a claim that was left behind', () => {
  const leave = async (bench: Bench, claim: object) =>
    await bench.store.put({
      pk: 'DOMAINS',
      sk: A,
      app: 'one',
      appId: 'app_x',
      at: bench.clock.now(),
      claimId: 'c',
      ...claim,
    });

  test('is respected for a minute: its request may be under way', async () => {
    const bench = createAppBench();
    await leave(bench, {});
    await bench.clock.advance(59_999);
    await expect(bench.create('two', { domains: [A] })).rejects.toMatchObject({
      message: expect.stringContaining('the app one'),
    });
    await bench.clock.advance(1);
    await bench.create('two', { domains: [A] });
    await expectClaimed(bench);
  });

  test.each(['gone', 'another app of the name', 'there without the domain'])(
    'is taken over when its owner is %s',
    async (owner) => {
      const bench = createAppBench();
      const app = owner === 'gone' ? undefined : await bench.create('one', {});
      await leave(bench, owner === 'there without the domain' ? { appId: app?.appId } : {});
      await bench.clock.advance(60_000);
      await bench.create('two', { domains: [A] });
      expect(claimsOf(bench)).toEqual({ [A]: 'two' });
    },
  );

  test('by an earlier app of the same name is told from one of another app', async () => {
    const bench = createAppBench();
    await leave(bench, { app: 'two' });
    await expect(bench.create('two', { domains: [A] })).rejects.toMatchObject({
      message: expect.stringContaining('Try again in a minute'),
    });
  });

  test('is taken over by one of two only', async () => {
    const bench = createAppBench();
    await leave(bench, {});
    await bench.clock.advance(60_000);
    const both = await Promise.allSettled([
      bench.create('two', { domains: [A] }),
      bench.create('three', { domains: [A] }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expectClaimed(bench);
  });
});

describe('domains in the same moment', () => {
  test('two apps want one: one gets it, the other is told', async () => {
    const bench = createAppBench();
    await bench.create('one');
    await bench.create('two');
    const both = await Promise.allSettled([
      bench.replace('one', { domains: [A] }),
      bench.replace('two', { domains: [B, A] }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    await expectClaimed(bench);
    expect(Object.keys(claimsOf(bench))).toHaveLength((await bench.apps.domains()).length);
  });

  test('a domain that is dropped and added again by two requests keeps its claim', async () => {
    const bench = createAppBench();
    await bench.create('one', { domains: [A] });
    const { remove } = bench.store;
    let again = false;
    bench.store.remove = async (key, condition) => {
      if (!again) {
        again = true;
        await bench.replace('one', { domains: [A] });
      }
      await remove(key, condition);
    };
    await bench.replace('one', {});
    expect((await bench.apps.get('one')).spec.domains).toEqual([A]);
    expect(claimsOf(bench)).toEqual({ [A]: 'one' });
  });

  test('a request that fails does not take the claim of another one of the same app', async () => {
    const bench = createAppBench();
    await bench.create('one');
    await bench.create('two', { domains: [B] });
    const get = bench.store.get;
    let other = false;
    bench.store.get = async (key) => {
      // Between the claim of A and the look at B, another request adds A as well.
      if (key.sk === B && !other) {
        other = true;
        await bench.replace('one', { domains: [A] });
      }
      return await get(key);
    };
    await expect(bench.replace('one', { domains: [A, B] })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await bench.apps.get('one')).spec.domains).toEqual([A]);
    await expectClaimed(bench);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'every listed domain has its claim, whatever happens (%i)',
    async (seed) => {
      const bench = createAppBench();
      let state = seed + 1;
      const next = (below: number): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state % below;
      };
      for (const name of ['one', 'two']) await bench.create(name);
      bench.store.beforeWrite = async () => {
        for (let turns = next(6); turns > 0; turns -= 1) await Promise.resolve();
        if (next(12) === 0) throw new Error('no answer');
      };
      const sets = [[], [A], [B], [A, B]];
      for (let round = 0; round < 10; round += 1) {
        await Promise.allSettled(
          Array.from({ length: 4 }, () =>
            bench.replace(next(2) ? 'one' : 'two', { domains: sets[next(4)], port: 1 + next(9) }),
          ),
        );
        await expectClaimed(bench);
        await bench.clock.advance(next(2) * 60_000);
      }
    },
  );
});
