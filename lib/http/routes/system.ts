import * as z from 'zod/mini';
import { AppError } from '../../errors.ts';
import { type Route, route } from '../route.ts';
import { jsonObject } from './schemas.ts';

interface SystemDeps {
  /** Resolves when the store answers. */
  readonly checkReady: () => Promise<void>;
  /** The OpenAPI document of the whole route table. */
  readonly describeApi: () => Promise<object>;
}

const ok = z.literal('ok');
const ready = z.strictObject({
  status: ok,
  ready: z.literal(true),
  checks: z.array(z.strictObject({ name: z.string(), status: ok, fatal: z.boolean() })),
});

export const systemRoutes: readonly Route<SystemDeps>[] = [
  route({
    method: 'GET',
    path: '/healthz',
    ability: 'public',
    summary: 'The process runs',
    response: z.strictObject({ status: ok }),
    handle: () => ({ body: { status: 'ok' } }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    ability: 'public',
    summary: 'The store can be read',
    response: ready,
    handle: async (_input, { checkReady }: SystemDeps) => {
      try {
        await checkReady();
      } catch (cause) {
        throw new AppError('UNAVAILABLE', 'the store cannot be read', { headers: { 'retry-after': '1' } }, { cause });
      }
      return { body: { status: 'ok', ready: true, checks: [{ name: 'database', status: 'ok', fatal: true }] } };
    },
  }),
  route({
    method: 'GET',
    path: '/openapi.json',
    ability: 'public',
    summary: 'This API, as OpenAPI 3.1',
    response: jsonObject,
    handle: async (_input, { describeApi }: SystemDeps) => ({ body: await describeApi() }),
  }),
];
