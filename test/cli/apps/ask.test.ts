import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ask } from '../../../lib/cli/ask.ts';

/** The keys of a terminal that can be pressed, and what it shows. */
function terminal() {
  const keys = Object.assign(new EventEmitter(), {
    raw: [] as boolean[],
    setRawMode: (on: boolean) => keys.raw.push(on),
    pause: () => keys,
    resume: () => keys,
  });
  let screen = '';
  const say = (text: string) => {
    screen += text;
  };
  const press = (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) keys.emit('data', Buffer.from(chunk as string));
  };
  return { keys, say, press, screen: () => screen };
}

test.each<[string, (string | Buffer)[], string]>([
  ['typed key by key', ['a', 'b', 'c', '\r'], 'abc'],
  ['pasted at once', ['abc\n'], 'abc'],
  ['with a mistake', ['ab', '\u007f', 'c', '\b', 'd\r'], 'ad'],
  ['with more mistakes than letters', ['\u007f\u007f', 'a\r'], 'a'],
  ['with arrows and other keys that are no letters', ['a', '\u001b[A', '\u001bOP', '\u0001', '\t', 'b\r'], 'ab'],
  ['whose letters come in pieces', [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0d])], 'é'],
  ['that is empty', ['\r'], ''],
])('a hidden answer %s is read, and nothing of it is shown', async (_what, chunks, expected) => {
  const { keys, say, press, screen } = terminal();
  const answer = ask(keys as never, say, 'API_KEY:', { hidden: true });
  press(...chunks);
  expect(await answer).toBe(expected);
  expect(screen()).toBe('API_KEY: \n');
  expect(keys.raw).toEqual([true, false]);
  expect(keys.listenerCount('data')).toBe(0);
});

test('an answer that may be seen is shown as it is typed', async () => {
  const { keys, say, press, screen } = terminal();
  const answer = ask(keys as never, say, 'Name:');
  press('sh', 'x', '\u007f', 'op\r');
  expect(await answer).toBe('shop');
  expect(screen()).toBe('Name: shx\b \bop\n');
});

test.each(['\u0003', '\u0004'])('who breaks off (%j) ends the question, and the terminal is as before', async (key) => {
  const { keys, say, press } = terminal();
  const answer = ask(keys as never, say, 'API_KEY:', { hidden: true });
  press('canary', key);
  await expect(answer).rejects.toThrow('broken off');
  expect(keys.raw).toEqual([true, false]);
});
