import { randomUUID } from 'node:crypto';
import type { CodeStore } from './code-store.ts';
import { conflict, notFound } from './errors.ts';
import type { Fault } from './faults.ts';
import { type AliasRecord, type FunctionRecord, LATEST, type Pending, type VersionRecord } from './model.ts';
import { functionArn, isVersion, type Place } from './names.ts';

/** What the service knows and needs; one for each emulator. */
export interface Context extends Place {
  readonly functions: Map<string, FunctionRecord>;
  readonly clock: { now(): number };
  /** How long a creation, an update or a publication takes, in milliseconds. */
  readonly updateMs: number;
  readonly codes: CodeStore;
  readonly limits: Limits;
  /** Folders of layers, by ARN of the layer version. */
  readonly layers: Readonly<Record<string, string>>;
  /** Digest of an image that exists, `sha256:…`. */
  readonly findImage: (uri: string) => string | undefined;
  readonly readObject: (object: S3Object) => Promise<Uint8Array | undefined>;
  /** Functions that changed and are not written yet. */
  readonly dirty: Set<string>;
  readonly sandboxes: Sandboxes;
  readonly urls: UrlListeners;
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

export interface Limits {
  /** Instances of all functions together; 100 of them stay unreserved. */
  readonly concurrency: number;
  readonly codeBytes: number;
}

/** What runs functions. */
export interface Sandboxes {
  invoke(input: InvokeInput): Promise<InvokeOutcome>;
  /** Ends idle sandboxes of a function that `keep` does not name by build, and busy ones when they are free. */
  retire(name: string, keep: ReadonlySet<string>): void;
}

export interface InvokeInput {
  readonly fn: FunctionRecord;
  readonly version: VersionRecord;
  readonly arn: string;
  readonly payload: string;
  readonly crash: boolean;
}

export interface InvokeOutcome {
  readonly payload: string;
  readonly functionError?: 'Unhandled';
  /** All lines of this call. */
  readonly log: string;
}

export interface UrlListeners {
  /** Opens a listener at the port if it is free, else at another. @returns where it listens */
  open(name: string, qualifier: string, port: number): Promise<number>;
  close(name: string, qualifier: string): Promise<void>;
}

export function newRevision(): string {
  return randomUUID();
}

/** `2026-01-31T10:00:00.000+0000`, as Lambda writes it. */
export function renderTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '+0000');
}

/** @throws LambdaError ResourceNotFoundException */
export function getFunction(context: Context, name: string): FunctionRecord {
  const fn = context.functions.get(name);
  if (fn === undefined) throw notFound(`Function not found: ${functionArn(context, name)}`);
  return fn;
}

export interface Resolved {
  readonly fn: FunctionRecord;
  readonly version: VersionRecord;
  readonly alias?: AliasRecord;
  /** With the qualifier when there is one. */
  readonly arn: string;
}

/**
 * The version that a qualifier means: `$LATEST` without one. An update whose time has come is finished.
 * @throws LambdaError ResourceNotFoundException
 */
export function resolve(context: Context, name: string, qualifier: string | undefined): Resolved {
  const arn = functionArn(context, name, qualifier);
  const fn = getFunction(context, name);
  const alias = qualifier === undefined || isVersion(qualifier) ? undefined : fn.aliases[qualifier];
  const number = alias?.version ?? qualifier ?? LATEST;
  const version = number === LATEST ? fn.latest : fn.versions[number];
  if (version === undefined) throw notFound(`Function not found: ${arn}`);
  settle(context, fn, version);
  return { fn, version, arn, ...(alias && { alias }) };
}

/** Starts what Lambda works on after its answer. */
export function begin(
  { clock, updateMs }: Context,
  fault: Fault | undefined,
  previous?: Pick<VersionRecord, 'config' | 'code' | 'buildId'>,
): Pending {
  const slow = fault?.rule.kind === 'slow' ? fault : undefined;
  const pending: Pending = {
    until: clock.now() + updateMs,
    looks: slow?.rule.looks ?? 0,
    held: slow !== undefined && slow.rule.looks === undefined && slow.rule.failure === undefined,
    ...(slow?.rule.failure && { failure: slow.rule.failure }),
    ...(previous && { previous }),
  };
  if (slow !== undefined && pending.held) held.set(pending, slow);
  return pending;
}

/** The faults that hold updates; they do not live longer than the process. */
const held = new WeakMap<Pending, Fault>();

/** Finishes a creation, an update or a publication whose time has come. */
export function settle(context: Context, fn: FunctionRecord, version: VersionRecord): void {
  const { pending } = version;
  if (pending === undefined) return;
  if (pending.held && held.get(pending)?.released !== false) pending.held = false;
  if (pending.held || pending.looks > 0 || pending.until > context.clock.now()) return;
  delete version.pending;
  context.dirty.add(fn.name);
  const { failure, previous } = pending;
  const revision = { RevisionId: newRevision() };
  if (previous === undefined) {
    version.config = { ...version.config, ...revision, ...createdState(failure) };
    return;
  }
  // A failed update leaves the function as it was.
  if (failure !== undefined) Object.assign(version, previous);
  version.config = { ...version.config, ...revision, ...updatedState(failure) };
}

/** A look at a function, which a slow fault may count. */
export function look(context: Context, fn: FunctionRecord, version: VersionRecord): void {
  settle(context, fn, version);
  if (version.pending !== undefined && version.pending.looks > 0) version.pending.looks -= 1;
}

function createdState(failure: Pending['failure']) {
  const [State, reason, code] = failure
    ? (['Failed', failure.reason, failure.code] as const)
    : (['Active', undefined, undefined] as const);
  return { State, StateReason: reason, StateReasonCode: code as never, LastUpdateStatus: 'Successful' as const };
}

function updatedState(failure: Pending['failure']) {
  return {
    LastUpdateStatus: failure ? ('Failed' as const) : ('Successful' as const),
    LastUpdateStatusReason: failure?.reason,
    LastUpdateStatusReasonCode: failure?.code as never,
  };
}

/** @throws LambdaError ResourceConflictException while Lambda still works on it */
export function checkSettled(context: Context, fn: FunctionRecord): void {
  settle(context, fn, fn.latest);
  const { pending, config } = fn.latest;
  const cannot = 'The operation cannot be performed at this time.';
  if (pending?.previous !== undefined) {
    throw conflict(`${cannot} An update is in progress for resource: ${functionArn(context, fn.name)}`);
  }
  if (pending !== undefined) {
    throw conflict(`${cannot} The function is currently in the following state: ${config.State}`);
  }
}
