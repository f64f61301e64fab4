import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Running } from './workbench.ts';

const LOOK_MS = 20;

/** Waits until `look` finds something. Fails after `limitMs`, or when `process` ends, with what that has printed. */
export async function waitFor<T>(
  what: string,
  process: Running,
  look: () => Promise<T | undefined> | T | undefined,
  limitMs = 30_000,
): Promise<T> {
  let ended = false;
  void process.ended.then(() => {
    ended = true;
  });
  for (const limit = performance.now() + limitMs; performance.now() < limit && !ended; await setTimeout(LOOK_MS)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  const reason = ended ? 'its process has ended' : `not within ${limitMs / 1000} s`;
  throw new Error(`${what}: ${reason}. It printed:\n${process.output()}`);
}

/** A loopback port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
