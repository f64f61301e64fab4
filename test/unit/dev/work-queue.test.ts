import { expect, test } from 'vitest';
import type { WorkMessage } from '../../../lib/apps/ports.ts';
import { createDevelopmentQueue } from '../../../lib/dev/work-queue.ts';
import { createTestClock } from '../../support/test-clock.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue whose handler waits for the test: `done` and `fail` end the oldest delivery that runs. */
function open(options: { concurrency?: number } = {}) {
  const clock = createTestClock();
  const running: { readonly message: WorkMessage; readonly end: PromiseWithResolvers<void> }[] = [];
  const started: string[] = [];
  const dead: unknown[] = [];
  const delays: number[] = [];
  const end = async (app: string, error?: Error) => {
    const index = running.findIndex(({ message }) => message.app === app);
    const [delivery] = running.splice(index, 1);
    if (index === -1 || delivery === undefined) throw new Error(`nothing of ${app} runs`);
    if (error) delivery.end.reject(error);
    else delivery.end.resolve();
    await turn();
  };
  const queue = createDevelopmentQueue({
    ...options,
    clock,
    handle(message) {
      started.push(`${message.app} ${message.reason}`);
      const delivery = { message, end: Promise.withResolvers<void>() };
      running.push(delivery);
      return delivery.end.promise;
    },
    onDead: (message, reason) => void dead.push([message, reason]),
    delay: (ms, signal) => {
      delays.push(ms);
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return Promise.race([clock.delay(ms), aborted]);
    },
  });
  const send = async (app: string, reason: string, id = `${app} ${reason}`) => {
    await queue.send({ app, reason }, id);
    await turn();
  };
  return { queue, send, end, clock, started, dead, delays };
}

test('messages of an app are worked on one at a time and in their order, those of others meanwhile', async () => {
  const { send, end, started } = open();
  for (const reason of ['1', '2', '3']) await send('shop', reason);
  await send('blog', '1');
  expect(started).toEqual(['shop 1', 'blog 1']);
  await end('shop');
  await end('shop');
  expect(started).toEqual(['shop 1', 'blog 1', 'shop 2', 'shop 3']);
});

test('no more apps are worked on at once than it was told', async () => {
  const { send, end, started } = open({ concurrency: 2 });
  for (const app of ['a', 'b', 'c', 'd']) await send(app, '1');
  expect(started).toEqual(['a 1', 'b 1']);
  await end('b');
  await send('e', '1');
  expect(started).toEqual(['a 1', 'b 1', 'c 1']);
  await end('c');
  await end('a');
  expect(started).toEqual(['a 1', 'b 1', 'c 1', 'd 1', 'e 1']);
});

test('an id counts once in five minutes, even after its message is done', async () => {
  const { send, end, started, clock } = open();
  await send('shop', '1', 'same');
  await send('shop', '2', 'same');
  await end('shop');
  await clock.advance(299_999);
  await send('shop', '3', 'same');
  expect(started).toEqual(['shop 1']);
  await clock.advance(1);
  await send('shop', '4', 'same');
  expect(started).toEqual(['shop 1', 'shop 4']);
});

test('what failed is delivered again after its time, and the later messages of the app wait for it', async () => {
  const { send, end, started, clock, delays } = open();
  await send('shop', '1');
  await send('shop', '2');
  await send('blog', '1');
  await end('shop', new Error('no'));
  expect(started).toEqual(['shop 1', 'blog 1']);
  await clock.advance(4_999);
  expect(started).toHaveLength(2);
  await clock.advance(1);
  await turn();
  expect(started).toEqual(['shop 1', 'blog 1', 'shop 1']);
  await end('shop');
  expect(started.at(-1)).toBe('shop 2');
  expect(delays).toEqual([5_000]);
});

test('a wait for the next delivery does not keep others from their turn', async () => {
  const { send, end, started } = open({ concurrency: 1 });
  await send('shop', '1');
  await send('blog', '1');
  await end('shop', new Error('no'));
  expect(started).toEqual(['shop 1', 'blog 1']);
});

test('after five deliveries in vain the message is dead, and the next of the app goes on', async () => {
  const { send, end, started, clock, dead } = open();
  await send('shop', '1');
  await send('shop', '2');
  for (let delivery = 1; delivery <= 5; delivery += 1) {
    expect(dead).toEqual([]);
    await end('shop', new Error(`failure ${delivery}`));
    await clock.advance(5_000);
    await turn();
  }
  expect(started.filter((entry) => entry === 'shop 1')).toHaveLength(5);
  expect(dead).toEqual([[{ app: 'shop', reason: '1' }, new Error('failure 5')]]);
  expect(started.at(-1)).toBe('shop 2');
});

test('it is idle when nothing waits or runs, what is to be delivered again included', async () => {
  const { queue, send, end, clock } = open();
  await queue.idle();
  await send('shop', '1');
  let idle = false;
  const waiting = queue.idle().then(() => {
    idle = true;
  });
  await end('shop', new Error('no'));
  expect(idle).toBe(false);
  await clock.advance(5_000);
  await turn();
  await end('shop');
  await waiting;
  expect(idle).toBe(true);
});

test('work may send the next message of its own app', async () => {
  const clock = createTestClock();
  const seen: string[] = [];
  const queue = createDevelopmentQueue({
    clock,
    delay: async () => {},
    onDead: () => {},
    async handle({ app, reason }) {
      seen.push(reason);
      if (reason !== '3') await queue.send({ app, reason: String(Number(reason) + 1) }, `to ${reason}`);
    },
  });
  await queue.send({ app: 'shop', reason: '1' }, 'first');
  await queue.idle();
  expect(seen).toEqual(['1', '2', '3']);
});

test('a handler that throws at once, and a dead-letter callback that does, stop nothing', async () => {
  const seen: string[] = [];
  const queue = createDevelopmentQueue({
    clock: createTestClock(),
    delay: async () => {},
    onDead() {
      throw new Error('dead too');
    },
    handle({ reason }) {
      seen.push(reason);
      throw new Error('at once');
    },
  });
  await queue.send({ app: 'shop', reason: '1' }, '1');
  await queue.send({ app: 'shop', reason: '2' }, '2');
  await queue.idle();
  expect(seen).toEqual([...Array(5).fill('1'), ...Array(5).fill('2')]);
});

test('closing lets the running work end, drops the rest and takes no more', async () => {
  const { queue, send, end, started, dead } = open({ concurrency: 1 });
  await send('shop', '1');
  await send('shop', '2');
  await send('blog', '1');
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await turn();
  expect(closed).toBe(false);
  await end('shop', new Error('cut'));
  await closing;
  expect(started).toEqual(['shop 1']);
  expect(dead).toEqual([]);
  await expect(send('shop', '3')).rejects.toThrow('closed');
});
