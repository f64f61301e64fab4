import type { ConfigDeps } from '../../lib/configs/activation.ts';
import { createEndpointService } from '../../lib/configs/endpoints.ts';
import { createRegistries, type RegistriesDeps } from '../../lib/configs/registries.ts';
import { createConfigService } from '../../lib/configs/service.ts';
import type { Store } from '../../lib/store/ports.ts';
import { createTestClock } from './test-clock.ts';

/** The config services on one store, with a clock that the test moves. */
export function createBench(store: Store, clock = createTestClock()) {
  let ids = 0;
  const deps: ConfigDeps = { store, clock, ids: () => `id${String(++ids).padStart(4, '0')}` };
  return {
    store,
    clock,
    deps,
    configs: createConfigService(deps),
    endpoints: createEndpointService(deps),
    /** The registries of one more instance; its store can be another view of the same data. */
    instance: (more: Partial<RegistriesDeps> = {}) => createRegistries({ store, clock, delay: clock.delay, ...more }),
  };
}

export type Bench = ReturnType<typeof createBench>;
