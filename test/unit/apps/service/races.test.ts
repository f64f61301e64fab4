import { expect, test } from 'vitest';
import { type Attempt, isFinal } from '../../../../lib/apps/model.ts';
import { AppError } from '../../../../lib/errors.ts';
import { CALLER, createAppBench, IMAGE, OTHER_IMAGE } from '../../../support/apps.ts';

type Bench = ReturnType<typeof createAppBench>;

const CANARY = 'canary-77aa';

/** Each may be refused, and none may do harm. */
const ACTIONS: readonly ((bench: Bench) => Promise<unknown>)[] = [
  ({ apps }) => apps.deploy('shop', IMAGE, CALLER),
  ({ apps }) => apps.deploy('shop', OTHER_IMAGE, CALLER),
  ({ apps }) => apps.restart('shop', CALLER),
  async ({ apps }) => {
    const good = (await apps.attempts('shop', {})).find(({ status }) => status === 'succeeded');
    if (good !== undefined) await apps.rollback('shop', good.id, CALLER);
  },
  ({ apps }) => apps.cancel('shop', 'latest', CALLER),
  ({ apps }) => apps.stop('shop', CALLER),
  ({ apps }) => apps.start('shop', CALLER),
  ({ apps }) => apps.changeEnv('shop', { AA: '1', BB: null }),
  ({ apps }) => apps.putSecret('shop', 'TOKEN', { value: CANARY }),
  ({ apps }) => apps.removeSecret('shop', 'TOKEN'),
  ({ apps }) => apps.createArtifact('shop'),
  (bench) => bench.replace('shop', { image: OTHER_IMAGE, domains: ['a.example.org'] }),
  (bench) => bench.work('shop', { lease: { owner: 'w1', expiresAt: bench.clock.now() + 30_000 } }),
  (bench) =>
    bench.work('shop', ({ attempt }) =>
      attempt?.status === 'queued' ? { attempt: { ...attempt, status: 'running', step: 'publish' } } : {},
    ),
  (bench) =>
    bench.work('shop', ({ attempt }) =>
      attempt?.status === 'running' ? { attempt: { ...attempt, status: 'queued', waitReason: 'suspended' } } : {},
    ),
];

function createDice(seed: number) {
  let state = seed + 1;
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Every number once, one attempt at most that is not final, and the newest is the app's own. */
function expectWhole(attempts: readonly Attempt[], nextAttempt: number, newest: Attempt | undefined): void {
  const numbers = attempts.map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: nextAttempt - 1 }, (_, index) => nextAttempt - 1 - index));
  expect(attempts.slice(1).filter((attempt) => !isFinal(attempt))).toEqual([]);
  expect(attempts[0]).toEqual(newest);
}

test.each(Array.from({ length: 15 }, (_, seed) => seed))(
  'requests in any order and at once leave a whole app (%i)',
  async (seed) => {
    const bench = createAppBench();
    const dice = createDice(seed);
    bench.images.add(IMAGE).add(OTHER_IMAGE);
    await bench.create('shop', { image: IMAGE });
    await bench.succeed('shop');
    bench.store.beforeWrite = async () => {
      for (let turns = dice(5); turns > 0; turns -= 1) await Promise.resolve();
    };
    for (let round = 0; round < 12; round += 1) {
      const chosen = Array.from({ length: 4 }, () => ACTIONS[dice(ACTIONS.length)] as (typeof ACTIONS)[number]);
      const before = await bench.apps.get('shop');
      const results = await Promise.allSettled(chosen.map((action) => action(bench)));
      for (const result of results) {
        if (result.status === 'fulfilled') continue;
        // The bench's own worker gives up when another writer is first.
        if (result.reason.name === 'AppChanged') continue;
        expect(result.reason).toBeInstanceOf(AppError);
        expect(['CONFLICT', 'NOT_FOUND', 'PRECONDITION_FAILED']).toContain(result.reason.code);
        expect(`${result.reason.message}${JSON.stringify(result.reason.details)}`).not.toContain(CANARY);
      }
      const app = await bench.apps.get('shop');
      expectWhole(await bench.apps.attempts('shop', { limit: 500 }), app.nextAttempt, app.attempt);
      expect(app.generation).toBeGreaterThanOrEqual(before.generation);
      expect(JSON.stringify(bench.store.all())).not.toContain(CANARY);
      expect(Object.keys(app.secrets)).toEqual([...bench.parameters.keys()].map((key) => key.replace('shop/', '')));
      expect(JSON.stringify(bench.sent)).not.toContain(CANARY);
      await bench.clock.advance(dice(3) * 20_000);
    }
  },
);
