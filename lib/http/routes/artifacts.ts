import * as z from 'zod/mini';
import type { AppService } from '../../apps/types.ts';
import { type Route, route } from '../route.ts';

interface ArtifactDeps {
  readonly apps: AppService;
}

const artifactView = z.strictObject({
  id: z.string(),
  image: z.string().check(z.meta({ description: 'what POST /apps/{name}/deploys takes once the package is uploaded' })),
  upload: z.strictObject({
    method: z.literal('PUT'),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    expires_at: z.string(),
  }),
});

export const artifactRoutes: readonly Route<ArtifactDeps>[] = [
  route({
    method: 'POST',
    path: '/api/v1/apps/{name}/artifacts',
    ability: 'deploy',
    summary: 'Where to upload a zip package for an app; the URL is a permission, so keep it to yourself',
    unconditional: true,
    response: artifactView,
    handle: async ({ params }, { apps }: ArtifactDeps) => {
      const { id, upload } = await apps.createArtifact(params.name);
      const { expiresAt, ...request } = upload;
      const expires_at = new Date(expiresAt).toISOString();
      return { status: 201, body: { id, image: `artifact:${id}`, upload: { ...request, expires_at } } };
    },
  }),
];
