import * as z from 'zod/mini';
import type { Diagnostic } from '../engine/diagnostic.ts';
import { AppError } from '../errors.ts';
import { parseJson } from '../k8s/json.ts';
import { type BlobRef, packBlob, unpackBlob } from '../store/blob.ts';
import { headKey, revisionKey } from '../store/keys.ts';
import type { Attribute, Item, Store, Write } from '../store/ports.ts';
import type { SpokeView } from './types.ts';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const blobRef = z.object({ sha256: z.string(), bytes: z.number(), chunks: z.number() });

const recordShape = z.object({
  revision: z.int(),
  createdAt: z.string(),
  /** Start of the sort keys of its chunks. */
  blobs: z.string(),
  source: z.enum(['CRD', 'XRD']),
  /** Of the CRD or XRD, for the patch. */
  apiVersion: z.string(),
  name: z.string(),
  group: z.string(),
  kind: z.string(),
  /** Kind of the claims of an XRD that offers them; they go through the same plan. */
  claimKind: z.optional(z.string()),
  labels: z.record(z.string(), z.string()),
  endpoint: z.optional(z.string()),
  reviewVersions: z.array(z.string()),
  hubVersion: z.string(),
  versions: z.array(z.object({ name: z.string(), served: z.boolean(), storage: z.boolean() })),
  planHash: z.string(),
  lossless: z.boolean(),
  plan: blobRef,
  planData: z.optional(bytes),
  findings: blobRef,
  findingsData: z.optional(bytes),
  text: blobRef,
});

const headShape = z.object({
  target: z.string(),
  version: z.int(),
  activation: z.string(),
  updatedAt: z.string(),
  firstRevision: z.int(),
  lastRevision: z.int(),
  history: z.array(z.object({ revision: z.int(), at: z.string(), activation: z.string() })),
  /** Absent from a tombstone. */
  record: z.optional(recordShape),
});

/** An immutable revision of a config, as it is stored: facts inline, the three texts compressed (`store/blob.ts`). */
export type RevisionRecord = z.infer<typeof recordShape>;

/**
 * The one item that says which revision of a config is active. Its version number goes up by one with every activation
 * and stays after a removal (a tombstone, kept for good), so that neither an ETag nor a revision number comes back.
 */
export type Head = z.infer<typeof headShape>;

/** A head as it was read before it is written. */
export interface HeadBefore extends Head {
  /** It was damaged and is replaced whatever it holds: there is no version to compare with. */
  readonly damaged?: true;
}

export interface ActiveHead extends Head {
  readonly record: RevisionRecord;
}

/** The texts of a revision that views and try-outs need. */
export interface Findings {
  readonly spokes: readonly SpokeView[];
  readonly warnings: readonly Diagnostic[];
}

/** The source of a revision, as it was sent. */
interface SourceText {
  readonly config: string;
  readonly schema: string;
}

/** Together they leave room for labels and versions below the 350 KB of an item. */
const INLINE_PLAN_BYTES = 280 * 1024;
const INLINE_FINDINGS_BYTES = 30 * 1024;

export function isActive(head: Head | undefined): head is ActiveHead {
  return head?.record !== undefined;
}

export function headItem(head: Head): Item {
  return { ...headKey(head.target), ...(head as unknown as Record<string, Attribute>) };
}

export function revisionItem(target: string, record: RevisionRecord): Item {
  return { ...revisionKey(target, record.revision), record: record as unknown as Attribute };
}

/** @throws AppError INTERNAL for an item that this code did not write */
export function readHead(item: Item): Head {
  const head = decode(headShape, item, item);
  if (headKey(head.target).sk === item.sk) return head;
  throw damaged(item, 'target');
}

/** @throws AppError INTERNAL for an item that this code did not write */
export function readRevision(item: Item): RevisionRecord {
  return decode(recordShape, item['record'], item);
}

function decode<T>(shape: z.ZodMiniType<T>, value: unknown, item: Item): T {
  const result = z.safeParse(shape, value);
  if (result.success) return result.data;
  throw damaged(item, result.error.issues[0]?.path.join('.') ?? '');
}

function damaged({ pk, sk }: Item, at: string): AppError {
  return new AppError('INTERNAL', `the stored item ${pk} / ${sk} is damaged at "${at}". Put the config again.`);
}

interface Packed {
  readonly fields: Pick<RevisionRecord, 'plan' | 'planData' | 'findings' | 'findingsData' | 'text'>;
  /** Chunks to write before the head. */
  readonly writes: readonly Write[];
}

/** Compresses the texts of a new revision. The source is never in the head: no instance reads it. */
export async function packTexts(
  target: string,
  prefix: string,
  texts: { readonly plan: string; readonly findings: string; readonly text: string },
): Promise<Packed> {
  const place = (what: string) => ({ target, prefix, what });
  const [plan, findings, text] = await Promise.all([
    packBlob(texts.plan, place('plan'), INLINE_PLAN_BYTES),
    packBlob(texts.findings, place('findings'), INLINE_FINDINGS_BYTES),
    packBlob(texts.text, place('text'), 0),
  ]);
  const fields = {
    plan: plan.ref,
    ...(plan.inline && { planData: plan.inline }),
    findings: findings.ref,
    ...(findings.inline && { findingsData: findings.inline }),
    text: text.ref,
  };
  return { fields, writes: [...plan.writes, ...findings.writes, ...text.writes] };
}

export function unpackPlan(store: Store, target: string, record: RevisionRecord): Promise<string> {
  return unpack(store, target, record, 'plan', record.plan, record.planData);
}

export async function unpackFindings(store: Store, target: string, record: RevisionRecord): Promise<Findings> {
  const text = await unpack(store, target, record, 'findings', record.findings, record.findingsData);
  return parseJson(text) as unknown as Findings;
}

export async function unpackSource(store: Store, target: string, record: RevisionRecord): Promise<SourceText> {
  return parseJson(await unpack(store, target, record, 'text', record.text)) as unknown as SourceText;
}

function unpack(
  store: Store,
  target: string,
  { blobs }: RevisionRecord,
  what: string,
  ref: BlobRef,
  inline?: Uint8Array,
): Promise<string> {
  return unpackBlob(store, ref, { target, prefix: blobs, what }, inline);
}
