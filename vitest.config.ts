import { defineConfig } from 'vitest/config';

/** `npm test`; with the mode `e2e`, which `npm run test:e2e` sets, the tests that build and start other programs. */
export default defineConfig(({ mode }) => {
  const e2e = mode === 'e2e';
  const limitMs = e2e ? 900_000 : 60_000;
  return {
    test: {
      include: [e2e ? 'test/e2e/**/*.test.ts' : 'test/**/*.test.ts'],
      exclude: e2e ? [] : ['test/e2e/**'],
      setupFiles: ['test/support/fast-check-setup.ts'],
      testTimeout: limitMs,
      hookTimeout: limitMs,
      ...(e2e && { globalSetup: ['test/e2e/support/announce.ts'] }),
      // Much of an end-to-end test is waiting for other programs; vitest alone would take one worker for two cores.
      ...(e2e && { maxWorkers: 2 }),
    },
  };
});
