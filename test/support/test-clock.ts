/** A clock that moves only when it is told to, and delays that end when it passes them. */
export interface TestClock {
  now(): number;
  /** Moves the clock and lets what waited for it go on. */
  advance(ms: number): Promise<void>;
  /** Resolves once the clock was advanced by that much. */
  delay(ms: number): Promise<void>;
}

export function createTestClock(start = Date.parse('2026-01-01T00:00:00Z')): TestClock {
  let now = start;
  let waiting: { readonly until: number; readonly resolve: () => void }[] = [];
  return {
    now: () => now,
    async advance(ms) {
      now += ms;
      const due = waiting.filter(({ until }) => until <= now);
      waiting = waiting.filter(({ until }) => until > now);
      for (const { resolve } of due) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
    delay: (ms) => new Promise((resolve) => waiting.push({ until: now + ms, resolve })),
  };
}
