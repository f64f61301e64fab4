import { Buffer } from 'node:buffer';
import type { Registries } from '../../configs/types.ts';
import { AppError } from '../../errors.ts';
import { describeError, type Log } from '../../telemetry/log.ts';
import { type Route, route } from '../route.ts';
import { answerPage } from './answers.ts';
import * as schemas from './schemas.ts';

interface RegistryDeps {
  readonly registries: Registries;
  readonly log: Log;
}

const DEFAULT_LIMIT = 100;
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
    handle: async ({ query: { limit = DEFAULT_LIMIT, next } }, { registries, log }: RegistryDeps) => {
      const registry = await registries.all();
      try {
        await registry.refresh();
      } catch (error) {
        log.warn('registry not refreshed', describeError(error));
      }
      await registry.compilePending(COMPILE_BUDGET_MS);
      const rows = registry.snapshot();
      const after = next === undefined ? '' : decodeNext(next);
      const rest = rows.filter((row) => row.target > after);
      const items = rest.slice(0, limit);
      const last = rest.length > limit ? items.at(-1) : undefined;
      return answerPage({ items, total: rows.length, ...(last && { next: encodeNext(last.target) }) });
    },
  }),
];

function encodeNext(target: string): string {
  return Buffer.from(target).toString('base64url');
}

function decodeNext(next: string): string {
  const target = Buffer.from(next, 'base64url').toString();
  if (encodeNext(target) === next) return target;
  throw new AppError('BAD_REQUEST', 'next is not from an earlier page');
}
