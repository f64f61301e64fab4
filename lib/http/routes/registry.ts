import type { Registries } from '../../configs/types.ts';
import { pageOf } from '../../store/paging.ts';
import { describeError, type Log } from '../../telemetry/log.ts';
import { type Route, route } from '../route.ts';
import { answerPage } from './answers.ts';
import * as schemas from './schemas.ts';

interface RegistryDeps {
  readonly registries: Registries;
  readonly log: Log;
}

/** How long a request may spend on plans that the load left for their first use, in milliseconds. */
const COMPILE_BUDGET_MS = 2_000;

export const registryRoutes: readonly Route<RegistryDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/registry',
    ability: 'read',
    summary: 'The plan that serves for each target, and why it is not the active one where it is not',
    query: schemas.pageQuery,
    response: schemas.page(schemas.registryRow),
    handle: async ({ query }, { registries, log }: RegistryDeps) => {
      const registry = await registries.all();
      try {
        await registry.refresh();
      } catch (error) {
        log.warn('registry not refreshed', describeError(error));
      }
      await registry.compilePending(COMPILE_BUDGET_MS);
      return answerPage(pageOf(registry.snapshot(), ({ target }) => target, query));
    },
  }),
];
