import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { AppError } from '../errors.ts';
import { chunkKey } from './keys.ts';
import type { Item, Store, Write } from './ports.ts';

const compress = promisify(gzip);

/** Compressed bytes in one chunk item; the rest of the 350 KB is for keys. */
const CHUNK_BYTES = 340 * 1024;
/** What a text may grow to when it is read back: a bound on memory, far above a real CRD (the largest pass 1 MB). */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Says where a compressed text is, and how to know that it is whole. Stored in the item that owns the text. */
export interface BlobRef {
  /** Hex SHA-256 over the compressed bytes. */
  readonly sha256: string;
  readonly bytes: number;
  /** 0: the bytes are in the owning item. */
  readonly chunks: number;
}

interface Blob {
  readonly ref: BlobRef;
  /** The bytes, when they go into the owning item. */
  readonly inline?: Uint8Array;
  /** The chunks to write before the owning item. */
  readonly writes: readonly Write[];
}

/** Where the chunks of a text lie: `prefix` as `blobPrefix` makes it, `what` tells texts of one write apart. */
interface BlobPlace {
  readonly target: string;
  readonly prefix: string;
  readonly what: string;
}

/** Compresses a text; up to `inlineBytes` it stays in the owning item, above it is split over chunk items. */
export async function packBlob(text: string, place: BlobPlace, inlineBytes: number): Promise<Blob> {
  const data = await compress(text);
  const sha256 = digest(data);
  if (data.length <= inlineBytes) return { ref: { sha256, bytes: data.length, chunks: 0 }, inline: data, writes: [] };
  const writes: Write[] = [];
  for (let start = 0; start < data.length; start += CHUNK_BYTES) {
    const key = chunkKey(place.target, place.prefix, place.what, writes.length);
    writes.push({ put: { ...key, data: data.subarray(start, start + CHUNK_BYTES) } });
  }
  return { ref: { sha256, bytes: data.length, chunks: writes.length }, writes };
}

/** Reads a text back. Rejects when a chunk is missing, foreign or damaged: a torn text is never used. */
export async function unpackBlob(store: Store, ref: BlobRef, place: BlobPlace, inline?: Uint8Array): Promise<string> {
  const data = ref.chunks === 0 ? inline : await joinChunks(store, ref, place);
  if (data === undefined) throw torn(place, 'it is missing');
  if (data.length !== ref.bytes) throw torn(place, `it has ${data.length} bytes instead of ${ref.bytes}`);
  if (digest(data) !== ref.sha256) throw torn(place, 'its content hash does not match');
  // In place: a cold start unpacks many small texts, and handing each one to another thread costs more than it takes.
  return gunzipSync(data, { maxOutputLength: MAX_TEXT_BYTES }).toString('utf8');
}

async function joinChunks(store: Store, { chunks }: BlobRef, place: BlobPlace): Promise<Uint8Array> {
  const keys = Array.from({ length: chunks }, (_, index) => chunkKey(place.target, place.prefix, place.what, index));
  const items = await store.getMany(keys);
  if (items.length !== chunks) throw torn(place, `only ${items.length} of its ${chunks} chunks are there`);
  return Buffer.concat(items.sort(bySortKey).map(dataOf));
}

function bySortKey(a: Item, b: Item): number {
  return a.sk < b.sk ? -1 : 1;
}

function dataOf({ data }: Item): Uint8Array {
  return data instanceof Uint8Array ? data : new Uint8Array();
}

function digest(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function torn({ target, what }: BlobPlace, reason: string): AppError {
  return new AppError('INTERNAL', `the stored ${what} of ${target} is not whole: ${reason}. Put the config again.`);
}
