import { describeCrashMatrix } from '../../../support/crash-matrix.ts';
import { createMemoryStore } from '../../../support/memory-store.ts';
import { createJumpClock } from '../../../support/work-bench.ts';

// A store for each run: all apps of one are listed by its passes.
describeCrashMatrix(() => {
  const clock = createJumpClock();
  return { clock, store: createMemoryStore(clock) };
});
