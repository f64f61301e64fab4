import { createEndpointService } from '../configs/endpoints.ts';
import { createIdempotencyStore } from '../configs/idempotency.ts';
import { createRegistries } from '../configs/registries.ts';
import { createConfigService } from '../configs/service.ts';
import type { Store } from '../store/ports.ts';
import type { ApiOptions } from './api.ts';

interface Deps {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly ids: () => string;
}

/** The services of conversion, and the records of what was done under an `Idempotency-Key`, on one store. */
export function createConfigServices(
  deps: Deps,
): Pick<ApiOptions, 'configs' | 'endpoints' | 'registries' | 'idempotency'> {
  return {
    configs: createConfigService(deps),
    endpoints: createEndpointService(deps),
    registries: createRegistries(deps),
    idempotency: createIdempotencyStore(deps),
  };
}
