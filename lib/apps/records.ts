import { AppError } from '../errors.ts';
import { APPS, appKey, appPartition, attemptKey } from '../store/keys.ts';
import { ABSENT, type Attribute, ConditionFailed, type Item, type Store } from '../store/ports.ts';
import { attentionOf } from './attention.ts';
import type { AppRecord, Attempt } from './model.ts';

export interface AppStoreDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  /** Makes ids that are unique for each write. */
  readonly ids: () => string;
}

/** What a writer changes of an app; the rest of the record is the store's business. */
export type AppDraft = Omit<AppRecord, 'version' | 'writeId' | 'updatedAt'>;

type Removable = 'attempt' | 'live' | 'observed' | 'lease' | 'retry' | 'deletion';

/** What one write changes; `undefined` takes away what need not be there. */
export type AppChange = Partial<Omit<AppDraft, Removable>> & {
  readonly [Name in Removable]?: AppDraft[Name] | undefined;
};

/** Another writer was first: read again, judge again. */
export class AppChanged extends Error {
  constructor(app: string) {
    super(`the app ${app} was changed by another writer`);
    this.name = 'AppChanged';
  }
}

export async function loadApp({ store }: Pick<AppStoreDeps, 'store'>, name: string): Promise<AppRecord | undefined> {
  const item = await store.get(appKey(name));
  return item && readApp(item);
}

/** By name. */
export async function loadApps({ store }: Pick<AppStoreDeps, 'store'>): Promise<AppRecord[]> {
  return (await store.query({ pk: APPS })).map(readApp);
}

export function readApp(item: Item): AppRecord {
  const { pk, sk, attention, attentionAt, ...record } = item;
  return record as unknown as AppRecord;
}

/** Writes an app that there is not yet. @throws AppChanged when the name is taken */
export async function createApp(deps: AppStoreDeps, draft: AppDraft): Promise<AppRecord> {
  return await write(deps, { ...draft, version: 1, writeId: deps.ids(), updatedAt: deps.clock.now() }, ABSENT);
}

/**
 * Writes an app over the record that was read, if that is still the present one. The final record of an attempt that is
 * replaced goes into the history first, so that no attempt is ever in neither place.
 * @throws AppChanged
 */
export async function saveApp(deps: AppStoreDeps, before: AppRecord, change: AppChange): Promise<AppRecord> {
  const { version } = before;
  const stamp = { version: version + 1, writeId: deps.ids(), updatedAt: deps.clock.now() };
  // The cast: exact optional types tell a key that is undefined from one that is not there, the store does not.
  const after = { ...before, ...change, ...stamp } as AppRecord;
  if (before.attempt !== undefined && before.attempt.id !== after.attempt?.id)
    await archive(deps, before.name, before.attempt);
  return await write(deps, after, { attribute: 'version', equals: version });
}

/** Removes the item itself, at the end of a deletion. @throws AppChanged */
export async function removeApp({ store }: Pick<AppStoreDeps, 'store'>, { name, version }: AppRecord): Promise<void> {
  try {
    await store.remove(appKey(name), { attribute: 'version', equals: version });
  } catch (error) {
    if (error instanceof ConditionFailed) throw new AppChanged(name);
    throw error;
  }
}

/** Puts an attempt into the history. The newest one stays in the app's item too, which goes before. */
export async function archive({ store }: Pick<AppStoreDeps, 'store'>, app: string, attempt: Attempt): Promise<void> {
  await store.put({ ...attemptKey(app, attempt.number), ...(attempt as unknown as Record<string, Attribute>) });
}

/** One attempt, by its id, as the app's item or the history has it. */
export async function loadAttempt(
  { store }: Pick<AppStoreDeps, 'store'>,
  app: AppRecord,
  id: string,
): Promise<Attempt | undefined> {
  if (app.attempt !== undefined && (id === 'latest' || id === app.attempt.id)) return app.attempt;
  const number = attemptNumber(id);
  const item = number === undefined ? undefined : await store.get(attemptKey(app.name, number));
  const attempt = item && readAttempt(item);
  return attempt?.id === id ? attempt : undefined;
}

/** Newest first; `before` is the number of an attempt. */
export async function loadAttempts(
  { store }: Pick<AppStoreDeps, 'store'>,
  app: AppRecord,
  { limit, before }: { readonly limit: number; readonly before?: number },
): Promise<Attempt[]> {
  const newest =
    app.attempt !== undefined && (before === undefined || app.attempt.number < before) ? [app.attempt] : [];
  const below = before ?? app.nextAttempt;
  if (below <= 1) return newest;
  const items = await store.query({
    pk: appPartition(app.name),
    sk: { from: attemptKey(app.name, 0).sk, to: attemptKey(app.name, below - 1).sk },
    reverse: true,
    limit: limit + newest.length,
  });
  const older = items.map(readAttempt).filter(({ id }) => id !== app.attempt?.id);
  return [...newest, ...older].slice(0, limit);
}

function readAttempt({ pk, sk, expiresAt, ...attempt }: Item): Attempt {
  return attempt as unknown as Attempt;
}

/** `dep_` and base64url of the number (4 bytes, big endian) and 5 random bytes. */
export function attemptId(number: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt32BE(number);
  bytes.set(random.subarray(0, 5), 4);
  return `dep_${bytes.toString('base64url')}`;
}

/** The number that an id of {@link attemptId} holds; undefined for any other text. */
export function attemptNumber(id: string): number | undefined {
  if (!/^dep_[\w-]{12}$/.test(id)) return undefined;
  return Buffer.from(id.slice(4), 'base64url').readUInt32BE();
}

async function write({ store }: AppStoreDeps, record: AppRecord, condition: Parameters<Store['put']>[1]) {
  const item = { ...(record as unknown as Record<string, Attribute>), ...appKey(record.name), ...attentionOf(record) };
  try {
    await store.put(item, condition);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // The SDK repeats a write whose answer was lost, and the repetition fails on its own success.
    const found = await store.get(appKey(record.name));
    if (found?.['writeId'] !== record.writeId) throw new AppChanged(record.name);
  }
  return record;
}

/** @throws AppError NOT_FOUND */
export async function requireApp(deps: Pick<AppStoreDeps, 'store'>, name: string): Promise<AppRecord> {
  // A longer text is no key of the table.
  const app = name.length > 64 ? undefined : await loadApp(deps, name);
  if (app !== undefined) return app;
  throw new AppError('NOT_FOUND', `There is no app ${JSON.stringify(name.slice(0, 64))}.`);
}

/**
 * Changes an app until no other writer is in between, at most {@link TRIES} times. `change` judges the record anew each
 * time and may throw; undefined means that there is nothing to change.
 * @throws AppError PRECONDITION_FAILED when other writers never left a gap
 */
export async function changeApp(
  deps: AppStoreDeps,
  name: string,
  change: (app: AppRecord) => AppChange | undefined | Promise<AppChange | undefined>,
): Promise<AppRecord> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await requireApp(deps, name);
    const draft = await change(before);
    if (draft === undefined) return before;
    try {
      return await saveApp(deps, before, draft);
    } catch (error) {
      if (!(error instanceof AppChanged)) throw error;
    }
  }
  throw new AppError('PRECONDITION_FAILED', `The app ${name} is changed by others all the time. Try again.`);
}

const TRIES = 8;
