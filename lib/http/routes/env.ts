import * as z from 'zod/mini';
import type { AppService } from '../../apps/types.ts';
import { renderApp } from '../../apps/views.ts';
import { type Route, route } from '../route.ts';
import { answerApp } from './answers.ts';
import { appView } from './app-schemas.ts';
import { jsonObject } from './schemas.ts';

interface EnvDeps {
  readonly apps: AppService;
}

const ENV = '/api/v1/apps/{name}/env';
const KEY = `${ENV}/{key}` as const;

/** Not a record of zod's, which would leave a variable called `__proto__` out without a word. */
const changes = jsonObject.check(
  z.check(({ value, issues }) => {
    for (const [key, given] of Object.entries(value)) {
      if (typeof given === 'string' || given === null) continue;
      issues.push({ code: 'custom', path: [key], message: 'expected text, or null to remove it', input: given });
    }
  }),
  z.meta({ type: 'object', additionalProperties: { type: ['string', 'null'] } }),
) as unknown as z.ZodMiniType<Readonly<Record<string, string | null>>>;

/** Plain variables; what is confidential belongs into a secret. They reach the app with its next deploy or restart. */
export const envRoutes: readonly Route<EnvDeps>[] = [
  route({
    method: 'GET',
    path: ENV,
    ability: 'read',
    summary: 'The variables of an app, and whether they are not yet those of the live release',
    response: z.strictObject({ env: z.record(z.string(), z.string()), env_dirty: z.boolean() }),
    handle: async ({ params }, { apps }: EnvDeps) => {
      const app = await apps.get(params.name);
      const { env = {}, env_dirty } = renderApp(app);
      return { ...answerApp(app), body: { env, env_dirty } };
    },
  }),
  route({
    method: 'PATCH',
    path: ENV,
    ability: 'write',
    summary: 'Set variables, and remove those that are null; the others stay',
    body: changes,
    response: appView,
    handle: async ({ params, body, precondition }, { apps }: EnvDeps) =>
      answerApp(await apps.changeEnv(params.name, body, precondition)),
  }),
  route({
    method: 'PUT',
    path: KEY,
    ability: 'write',
    summary: 'Set one variable',
    body: z.strictObject({ value: z.string() }),
    response: appView,
    handle: async ({ params, body, precondition }, { apps }: EnvDeps) =>
      answerApp(await apps.changeEnv(params.name, { [params.key]: body.value }, precondition)),
  }),
  route({
    method: 'DELETE',
    path: KEY,
    ability: 'write',
    summary: 'Remove one variable',
    response: z.undefined(),
    handle: async ({ params, precondition }, { apps }: EnvDeps) => {
      await apps.changeEnv(params.name, { [params.key]: null }, precondition);
      return { status: 204 };
    },
  }),
];
