import { onUse } from '../../aws/on-use.ts';
import type { Artifacts } from '../ports.ts';
import type { ArtifactOptions } from './artifacts-on-s3.ts';

/** Packages in S3, whose client and presigner are loaded on use. A failure is a `RuntimeError`. */
export function createArtifacts(options: ArtifactOptions): Artifacts {
  const s3 = onUse(async () => (await import('./artifacts-on-s3.ts')).createS3Artifacts(options));
  return {
    createUpload: async (app, artifact) => (await s3()).createUpload(app, artifact),
    find: async (app, artifact) => (await s3()).find(app, artifact),
    exists: async (app, artifact, versionId) => (await s3()).exists(app, artifact, versionId),
    remove: async (app, artifact) => (await s3()).remove(app, artifact),
    removeAll: async (app) => (await s3()).removeAll(app),
  };
}
