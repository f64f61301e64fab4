import * as z from 'zod/mini';
import type { AppService } from '../../apps/types.ts';
import { renderSecrets } from '../../apps/views.ts';
import { type Route, route } from '../route.ts';
import { answerList } from './answers.ts';
import { flag } from './schemas.ts';

interface SecretDeps {
  readonly apps: AppService;
}

const KEY = '/api/v1/apps/{name}/secrets/{key}';

/** The fingerprint tells that a value is another one; it is keyed with a random key of the app, so nobody can guess from it. */
const secretView = z.strictObject({
  key: z.string(),
  locked: z.boolean(),
  updated_at: z.string(),
  fingerprint: z.string(),
});

/** Values go in and never come out. */
export const secretRoutes: readonly Route<SecretDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/apps/{name}/secrets',
    ability: 'read',
    summary: 'The names of the secrets of an app, and which are locked',
    response: z.array(secretView),
    handle: async ({ params }, { apps }: SecretDeps) => answerList(renderSecrets(await apps.secrets(params.name))),
  }),
  route({
    method: 'PUT',
    path: KEY,
    ability: 'write:sensitive',
    summary: 'Set a secret; the app has the new value from its next cold start on, a restart makes one',
    unconditional: true,
    body: z.strictObject({ value: z.string(), overwrite_locked: z.exactOptional(z.boolean()) }),
    response: z.undefined(),
    handle: async ({ params, body }, { apps }: SecretDeps) => {
      const { value, overwrite_locked: overwriteLocked = false } = body;
      await apps.putSecret(params.name, params.key, { value, overwriteLocked });
      return { status: 204 };
    },
  }),
  route({
    method: 'DELETE',
    path: KEY,
    ability: 'write:sensitive',
    summary: 'Remove a secret',
    unconditional: true,
    query: z.strictObject({ overwrite_locked: flag }),
    response: z.undefined(),
    handle: async ({ params, query }, { apps }: SecretDeps) => {
      await apps.removeSecret(params.name, params.key, { overwriteLocked: query.overwrite_locked ?? false });
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: `${KEY}/lock`,
    ability: 'write:sensitive',
    summary: 'Lock a secret against being overwritten, or unlock it',
    unconditional: true,
    body: z.strictObject({ locked: z.boolean() }),
    response: z.undefined(),
    handle: async ({ params, body }, { apps }: SecretDeps) => {
      await apps.lockSecret(params.name, params.key, body.locked);
      return { status: 204 };
    },
  }),
];
