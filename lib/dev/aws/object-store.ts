import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openPrivateFolder } from '../private-folder.ts';
import { AwsError } from './json-service.ts';

export interface ObjectVersion {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly at: number;
  readonly bytes: number;
  /** MD5 of the content in hexadecimal. */
  readonly etag: string;
  readonly contentType?: string;
  /** Only says that the object was deleted. */
  readonly isMarker?: true;
}

export interface ObjectStore {
  /** Keeps the content as a new version, whole or not at all. */
  put(bucket: string, key: string, content: Readable, contentType: string | undefined): Promise<ObjectVersion>;
  /** Adds a version that says the object was deleted. */
  mark(bucket: string, key: string): Promise<ObjectVersion>;
  /** That version, or the newest, which may be a marker. */
  find(bucket: string, key: string, versionId?: string): ObjectVersion | undefined;
  /** All versions by key, the newest first. */
  list(bucket: string, prefix: string): readonly ObjectVersion[];
  /** Where its content is. */
  path(version: ObjectVersion): string;
  read(version: ObjectVersion): Promise<Uint8Array>;
  /** False when it was not there. */
  remove(bucket: string, key: string, versionId: string): Promise<boolean>;
}

/** More than a package can have: Lambda takes 250 MB unpacked. */
export const MAX_OBJECT_BYTES = 262_144_000;
const INDEX = 'objects.json';

/** Versions of objects, each a file, and one file that lists them; what an upload left by half goes at the next start. */
export async function openObjectStore(dir: string, clock: { now(): number }): Promise<ObjectStore> {
  const folder = await openPrivateFolder(dir);
  const contents = folder.path('objects');
  await mkdir(contents, { recursive: true });
  /** The oldest first. */
  let versions: readonly ObjectVersion[] = JSON.parse((await folder.read(INDEX)) ?? '[]');
  const known = new Set(versions.map(({ versionId }) => versionId));
  for (const name of await readdir(contents)) if (!known.has(name)) await rm(join(contents, name));
  /** Writes go one after the other. */
  let written = Promise.resolve();
  const change = (next: readonly ObjectVersion[]) => {
    versions = next;
    written = written.then(() => folder.write(INDEX, JSON.stringify(versions)));
    return written;
  };
  const path = ({ versionId }: Pick<ObjectVersion, 'versionId'>) => join(contents, versionId);
  const find: ObjectStore['find'] = (bucket, key, versionId) =>
    versions.findLast(
      (each) => each.bucket === bucket && each.key === key && (versionId ?? each.versionId) === each.versionId,
    );
  const add = async (version: ObjectVersion) => {
    await change([...versions, version]);
    return version;
  };
  return {
    find,
    path,
    read: (version) => readFile(path(version)),
    async put(bucket, key, content, contentType) {
      const version = { bucket, key, versionId: newVersionId(), ...(contentType !== undefined && { contentType }) };
      const draft = `${path(version)}.new`;
      const { bytes, etag } = await keep(content, draft);
      await rename(draft, path(version));
      return await add({ ...version, at: clock.now(), bytes, etag });
    },
    mark: (bucket, key) =>
      add({ bucket, key, versionId: newVersionId(), at: clock.now(), bytes: 0, etag: '', isMarker: true }),
    list: (bucket, prefix) =>
      versions
        .filter((each) => each.bucket === bucket && each.key.startsWith(prefix))
        .toReversed()
        .toSorted((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key))),
    async remove(bucket, key, versionId) {
      const version = find(bucket, key, versionId);
      if (version === undefined) return false;
      await change(versions.filter((each) => each !== version));
      await rm(path(version), { force: true });
      return true;
    },
  };
}

/** Writes the content to a file as it comes; nothing is left of one that ends by half or is too large. */
async function keep(content: Readable, file: string) {
  const hash = createHash('md5');
  let bytes = 0;
  const measure = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MAX_OBJECT_BYTES) throw tooLarge();
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(content, measure, createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  return { bytes, etag: hash.digest('hex') };
}

export function tooLarge(): AwsError {
  return new AwsError('EntityTooLarge', `This emulator keeps objects of at most ${MAX_OBJECT_BYTES} bytes.`);
}

/** 32 characters, as those of S3. */
function newVersionId(): string {
  return randomBytes(24).toString('base64url');
}
