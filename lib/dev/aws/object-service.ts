import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AwsError } from './json-service.ts';
import { MAX_OBJECT_BYTES, type ObjectStore, type ObjectVersion, tooLarge } from './object-store.ts';
import { readDeletions, renderDeleted, renderVersions } from './object-xml.ts';
import { checkAccess } from './presigned.ts';
import { readBody } from './read-body.ts';

interface ObjectServiceOptions {
  readonly objects: ObjectStore;
  readonly clock: { now(): number };
  readonly buckets: ReadonlySet<string>;
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly bucket: string;
  readonly key: string;
}

type Handler = (call: Call, objects: ObjectStore) => Promise<void>;

/** A list of 1,000 versions to delete. */
const MAX_XML_BYTES = 2_000_000;
const MAX_KEYS = 1_000;

/** The part of S3 that packages need, with paths that begin with the bucket; every bucket is versioned. */
export function createObjectService({ objects, clock, buckets }: ObjectServiceOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://s3');
    const [, bucket = '', ...parts] = pathname.split('/').map(decodeURIComponent);
    const call = { request, response, query, bucket, key: parts.join('/') };
    const [operation, handle] = findHandler(call);
    checkAccess(query, { authorization: request.headers.authorization, operation, now: clock.now() });
    if (!buckets.has(bucket)) throw new AwsError('NoSuchBucket', 'The specified bucket does not exist', 404);
    await handle(call, objects);
  };
}

function findHandler({ request: { method }, query, key }: Call): readonly [operation: string, handle: Handler] {
  if (key === '') {
    if (method === 'GET' && query.has('versions')) return ['ListObjectVersions', listVersions];
    if (method === 'POST' && query.has('delete')) return ['DeleteObjects', removeAll];
  } else {
    if (method === 'PUT') return ['PutObject', put];
    if (method === 'GET') return ['GetObject', get];
    if (method === 'HEAD') return ['HeadObject', get];
    if (method === 'DELETE') return ['DeleteObject', remove];
  }
  throw new AwsError('NotImplemented', `This emulator does not know ${method} here.`, 501);
}

async function put({ request, response, bucket, key }: Call, objects: ObjectStore): Promise<void> {
  const { 'content-length': length, 'content-encoding': encoding, 'content-type': type } = request.headers;
  if (length === undefined)
    throw new AwsError('MissingContentLength', 'You must provide the Content-Length HTTP header.', 411);
  if (encoding?.includes('aws-chunked')) throw new AwsError('NotImplemented', 'This emulator takes plain bodies.', 501);
  if (Number(length) > MAX_OBJECT_BYTES) throw tooLarge();
  const { versionId, etag } = await objects.put(bucket, key, request, type);
  response.writeHead(200, { etag: `"${etag}"`, 'x-amz-version-id': versionId, 'content-length': 0 }).end();
}

async function get({ request, response, query, bucket, key }: Call, objects: ObjectStore): Promise<void> {
  const version = demand(objects, bucket, key, query.get('versionId') ?? undefined);
  response.writeHead(200, {
    'content-length': version.bytes,
    'content-type': version.contentType ?? 'binary/octet-stream',
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.at).toUTCString(),
    'x-amz-version-id': version.versionId,
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(objects.path(version)), response);
}

/** @throws AwsError 404 when it is not there, 405 for a version that marks a deletion */
function demand(objects: ObjectStore, bucket: string, key: string, versionId: string | undefined): ObjectVersion {
  const version = objects.find(bucket, key, versionId);
  if (version !== undefined && version.isMarker !== true) return version;
  if (versionId === undefined) throw new AwsError('NoSuchKey', 'The specified key does not exist.', 404);
  if (version === undefined) throw new AwsError('NoSuchVersion', 'The specified version does not exist.', 404);
  throw new AwsError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405);
}

async function remove({ response, query, bucket, key }: Call, objects: ObjectStore): Promise<void> {
  const { versionId } = await removeOne(objects, bucket, key, query.get('versionId') ?? undefined);
  response.writeHead(204, { 'x-amz-version-id': versionId }).end();
}

/** Without a version the object is only marked as deleted. Twice is as once. */
async function removeOne(objects: ObjectStore, bucket: string, key: string, versionId: string | undefined) {
  if (versionId === undefined) return await objects.mark(bucket, key);
  await objects.remove(bucket, key, versionId);
  return { versionId };
}

async function removeAll({ request, response, bucket }: Call, objects: ObjectStore): Promise<void> {
  const body = await readBody(request, MAX_XML_BYTES);
  const { quiet, objects: doomed } = readDeletions(body.toString());
  if (doomed.length === 0 || doomed.length > MAX_KEYS)
    throw new AwsError('MalformedXML', `1 to ${MAX_KEYS} objects are wanted.`);
  for (const { key, versionId } of doomed) await removeOne(objects, bucket, key, versionId);
  answerXml(response, renderDeleted(quiet ? [] : doomed));
}

async function listVersions({ response, query, bucket }: Call, objects: ObjectStore): Promise<void> {
  const prefix = query.get('prefix') ?? '';
  const size = Math.min(Number(query.get('max-keys') ?? MAX_KEYS), MAX_KEYS);
  const [keyMarker, versionMarker] = [query.get('key-marker') ?? '', query.get('version-id-marker')];
  const all = objects.list(bucket, prefix);
  const isMarked = (each: ObjectVersion) => each.key === keyMarker && each.versionId === versionMarker;
  // The version that the marker names may be gone by now; then all that is left of its key is listed again.
  const marked = all.findIndex(isMarked);
  const rest =
    marked === -1
      ? all.filter(({ key }) => (versionMarker === null ? key > keyMarker : key >= keyMarker))
      : all.slice(marked + 1);
  const isNewest = (each: ObjectVersion) => objects.find(bucket, each.key) === each;
  answerXml(
    response,
    renderVersions({ bucket, prefix, page: rest.slice(0, size), isCut: rest.length > size, isNewest }),
  );
}

function answerXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
}
