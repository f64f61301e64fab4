import {
  DeleteObjectsCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectVersionsCommand,
  type ObjectIdentifier,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { Clock } from '../../clock.ts';
import type { Artifacts } from '../ports.ts';
import { callAws } from '../runtime/aws-error.ts';
import { artifactKey } from '../runtime/names.ts';
import { RuntimeError } from '../runtime/runtime.ts';

export interface ArtifactOptions {
  /** Versioned. */
  readonly bucket: string;
  readonly clock: Clock;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<S3ClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** Time for a slow line: 50 MB at 0.5 Mbit/s. */
const UPLOAD_SECONDS = 900;
/** What HEAD answers for a name that is not there, and for a version that only marks a deletion. */
const GONE = new Set<number | undefined>([404, 405]);

/**
 * Packages in S3. A failure is a `RuntimeError`. Without the permission s3:ListBucket, S3 answers 403 for what is not there.
 */
export function createS3Artifacts(options: ArtifactOptions): Artifacts {
  const { bucket: Bucket, clock } = options;
  const client = createClient(options);
  const call = <T>(send: () => Promise<T>) => callAws({ service: 'S3' }, send);
  const head = (Key: string, VersionId?: string) =>
    call(() => client.send(new HeadObjectCommand({ Bucket, Key, VersionId })).catch(noneIfGone));
  return {
    async createUpload(app, artifact) {
      const now = clock.now();
      // Only the host is signed: `curl -T` sends no header that could be, neither a type nor a checksum, and the presigner
      // can pin nothing else of a PUT. What was uploaded is checked when it is used.
      const command = new PutObjectCommand({ Bucket, Key: artifactKey(app, artifact) });
      const url = await getSignedUrl(client, command, { expiresIn: UPLOAD_SECONDS, signingDate: new Date(now) });
      const headers = { 'content-type': 'application/zip' };
      return { method: 'PUT', url, headers, expiresAt: now + UPLOAD_SECONDS * 1_000 };
    },
    async find(app, artifact) {
      const found = await head(artifactKey(app, artifact));
      if (found === undefined) return undefined;
      const { VersionId: versionId, ContentLength: bytes = 0 } = found;
      // `null` is the version of what was put while versioning was off.
      if (versionId === undefined || versionId === 'null') throw unversioned(Bucket);
      return { versionId, bytes };
    },
    exists: async (app, artifact, versionId) => (await head(artifactKey(app, artifact), versionId)) !== undefined,
    async remove(app, artifact) {
      const key = artifactKey(app, artifact);
      await removeVersions(client, Bucket, key, ({ Key }) => Key === key);
    },
    removeAll: (app) => removeVersions(client, Bucket, artifactKey(app, '').replace(/\.zip$/, ''), () => true),
  };
}

function createClient({ client, attemptMs }: ArtifactOptions): S3Client {
  return new S3Client({
    ...client,
    // An emulator has no host name for each bucket.
    ...(client.endpoint !== undefined && { forcePathStyle: true }),
    // Otherwise a checksum of an empty body becomes part of an upload's URL.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
}

function noneIfGone(error: unknown): HeadObjectCommandOutput | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  if (GONE.has($metadata?.httpStatusCode)) return undefined;
  throw error;
}

/** Page by page, 1,000 versions each; the place to go on from stays right when what was before it is gone. */
async function removeVersions(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  isMeant: (version: ObjectIdentifier) => boolean,
): Promise<void> {
  let KeyMarker: string | undefined;
  let VersionIdMarker: string | undefined;
  do {
    const list = new ListObjectVersionsCommand({ Bucket, Prefix, KeyMarker, VersionIdMarker });
    const page = await callAws({ service: 'S3' }, () => client.send(list));
    const versions = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
    const Objects = versions.map(({ Key, VersionId }): ObjectIdentifier => ({ Key, VersionId })).filter(isMeant);
    if (Objects.length > 0) await removeObjects(client, Bucket, Prefix, Objects);
    ({ NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page);
  } while (KeyMarker !== undefined);
}

async function removeObjects(client: S3Client, Bucket: string, prefix: string, Objects: ObjectIdentifier[]) {
  const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
  const { Errors = [] } = await callAws({ service: 'S3' }, () => client.send(command));
  if (Errors.length === 0) return;
  const reasons = [...new Set(Errors.map(({ Code }) => Code ?? 'unknown'))];
  const code = reasons.includes('AccessDenied') ? 'permission_denied' : 'unavailable';
  const text = `S3 could not remove ${Errors.length} of ${Objects.length} versions below ${prefix} (${reasons.join(', ')}).`;
  throw new RuntimeError(code, text);
}

function unversioned(bucket: string): RuntimeError {
  const hint = 'Deploy the stack again, and upload the package anew.';
  return new RuntimeError(
    'invalid',
    `The bucket ${bucket} keeps no versions, so code could change after a deploy. ${hint}`,
  );
}
