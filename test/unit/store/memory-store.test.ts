import { beforeEach } from 'vitest';
import { createMemoryStore } from '../../support/memory-store.ts';
import { describeStore } from '../../support/store-suite.ts';
import { createTestClock } from '../../support/test-clock.ts';

let clock = createTestClock();
let store = createMemoryStore(clock);
beforeEach(() => {
  clock = createTestClock();
  store = createMemoryStore(clock);
});

describeStore('the memory store of the unit tests', () => ({ store, clock }));
