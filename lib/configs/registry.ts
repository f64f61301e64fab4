import { AppError } from '../errors.ts';
import { HEADS, headKey } from '../store/keys.ts';
import type { Item } from '../store/ports.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Change } from './changes.ts';
import { createConfigFilter } from './endpoint-records.ts';
import { type IndexEntry, readIndex } from './index-entries.ts';
import { type LoadDeps, loadFallback, loadPlan } from './load-plan.ts';
import { type ActiveHead, type Head, isActive, readHead } from './records.ts';
import { planIndex, storedSelector } from './selector.ts';
import type {
  LabelSelector,
  LoadFailure,
  Lookup,
  Registry,
  RegistryCounters,
  RegistryEntry,
  RegistryRow,
} from './types.ts';

/** How long a review waits for a plan that the load left for its first use. */
const FIRST_USE_WAIT_MS = 5_000;
/** Heads read at once; the next batch is read while this one is compiled. */
const BATCH = 50;

/** Whose configs a registry holds; undefined for all of them. */
export type Scope = { readonly name: string; readonly selector?: LabelSelector | undefined } | undefined;

export interface RegistryDeps extends Omit<LoadDeps, 'onCompile'> {
  readonly feed: ChangeFeed;
  readonly delay: (ms: number) => Promise<void>;
}

/** What is known about one target. */
interface Slot {
  /** The head version that this is about; 0 before the head was read. */
  readonly version: number;
  readonly revision: number;
  /** The head has not been read yet: that is done on first use. */
  readonly pending: boolean;
  readonly entry?: RegistryEntry | undefined;
  readonly error?: { readonly message: string; readonly at: number };
}

/** A target that is not, or no longer, for this registry, as of a head version. */
interface Gone {
  readonly gone: true;
  readonly version: number;
}

export class PlanRegistry implements Registry {
  readonly #deps: RegistryDeps;
  readonly #load: LoadDeps;
  #scope: Scope;
  #serves: ReturnType<typeof createConfigFilter>;
  /** Whether what is held was compared with the index since the scope changed. */
  #synced = false;
  /** Most configs that there are belong to this registry, so a range of heads has little else in it. */
  #dense = false;
  #slots: ReadonlyMap<string, Slot> = new Map();
  /** Head versions of targets that a change named and that are not for this registry: not read twice. */
  #foreign: ReadonlyMap<string, number> = new Map();
  #durations: number[] = [];
  #failures: LoadFailure[] = [];

  constructor(deps: RegistryDeps, scope: Scope) {
    this.#deps = deps;
    this.#load = { ...deps, onCompile: (duration) => this.#durations.push(duration) };
    this.#scope = scope;
    this.#serves = filterOf(scope);
  }

  get size(): number {
    return this.#slots.size;
  }

  get(target: string): RegistryEntry | undefined {
    return this.#slots.get(target)?.entry;
  }

  async lookup(target: string, versions: readonly string[]): Promise<Lookup> {
    const pending = this.#isPending(target);
    if (pending) await this.#firstUse(target);
    const isMissing = (): boolean => {
      if (this.#isPending(target)) return false;
      const held = this.get(target);
      return held === undefined || versions.some((version) => !held.router.has(version));
    };
    const settle = await this.#deps.feed.freshen(isMissing);
    // One wait for a plan is enough for a review.
    if (!pending && this.#isPending(target)) await this.#firstUse(target);
    const slot = this.#slots.get(target);
    const { entry, error } = slot ?? {};
    return { known: slot !== undefined, ...(entry && { entry }), ...(error && { error: error.message }), settle };
  }

  async refresh(): Promise<void> {
    await this.#deps.feed.refresh();
  }

  /** Compares what is held with the index; targets that are new are left for their first use. */
  async resync(): Promise<void> {
    const plan = planIndex(storedSelector(this.#scope?.selector));
    const entries = await readIndex(this.#deps.store, plan);
    const announced = newestByTarget(entries.filter((entry) => this.#serves(entry)));
    this.#dense = 'everything' in plan && 2 * announced.size > new Set(entries.map(({ target }) => target)).size;
    const added = [...announced.values()].filter(({ target }) => !this.#slots.has(target));
    this.#set(added.map(({ target, revision }) => [target, { version: 0, revision, pending: true }]));
    const stale = [...this.#slots].filter(([target, slot]) => {
      const entry = announced.get(target);
      return entry === undefined || (!slot.pending && entry.version > slot.version);
    });
    await this.#reread(stale.map(([target]) => target));
    this.#synced = true;
  }

  /** Takes another selector on; the next `apply` compares what is held with the index. */
  rescope(scope: Scope): void {
    if (JSON.stringify(scope?.selector) !== JSON.stringify(this.#scope?.selector)) {
      this.#foreign = new Map();
      this.#synced = false;
      this.#serves = filterOf(scope);
    }
    this.#scope = scope;
  }

  async apply(changes: readonly Change[], resync: boolean): Promise<void> {
    if (resync || !this.#synced) await this.resync();
    const configs = changes.filter(({ kind }) => kind === 'config');
    const changed = new Set(configs.filter((change) => this.#concerns(change)).map(({ name }) => name));
    await this.#reread([...changed]);
    const named = new Set(configs.map(({ name }) => name));
    this.#foreign = new Map([...this.#foreign].filter(([target]) => named.has(target)));
  }

  async compilePending(budgetMs: number): Promise<void> {
    const { clock } = this.#deps;
    const deadline = clock.now() + budgetMs;
    const targets = [...this.#slots].filter(([, slot]) => slot.pending).map(([target]) => target);
    targets.sort();
    const read = (start: number) => {
      if (start >= targets.length) return undefined;
      const items = this.#readHeads(targets.slice(start, start + BATCH));
      // Nobody awaits the batch that is read ahead when the time is up.
      items.catch(() => {});
      return items;
    };
    let ahead = budgetMs > 0 ? read(0) : undefined;
    for (let start = 0; ahead !== undefined && clock.now() < deadline; start += BATCH) {
      const items = await ahead;
      ahead = read(start + BATCH);
      await this.#applyHeads(targets.slice(start, start + BATCH), items, deadline);
    }
  }

  snapshot(): readonly RegistryRow[] {
    const rows = [...this.#slots].map(
      ([target, { entry, revision, error }]): RegistryRow => ({
        target,
        ready: entry !== undefined,
        revision: entry?.revision ?? revision,
        versions: entry?.router.versions ?? [],
        ...(entry && { planHash: entry.planHash, compiledAt: new Date(entry.compiledAt).toISOString() }),
        ...(error && { lastError: error.message, lastErrorAt: new Date(error.at).toISOString() }),
      }),
    );
    return rows.sort((a, b) => (a.target < b.target ? -1 : 1));
  }

  drain(): RegistryCounters {
    const counters = {
      compileDurations: this.#durations,
      compiles: this.#durations.length,
      loadFailures: this.#failures,
    };
    this.#durations = [];
    this.#failures = [];
    return { ...counters, ...this.#deps.feed.drain() };
  }

  /** Whether a change asks to read a head: one that is held in an older version, or one that may have become ours. */
  #concerns({ name, version, labels, endpoint }: Change): boolean {
    const slot = this.#slots.get(name);
    if (slot !== undefined) return !slot.pending && version > slot.version;
    return labels !== undefined && this.#serves({ labels, endpoint }) && version > (this.#foreign.get(name) ?? 0);
  }

  #isPending(target: string): boolean {
    return this.#slots.get(target)?.pending === true;
  }

  async #firstUse(target: string): Promise<void> {
    // A store that fails leaves the target pending: the next review tries again.
    const load = this.#reread([target]).catch(() => {});
    await Promise.race([load, this.#deps.delay(FIRST_USE_WAIT_MS)]);
  }

  async #reread(targets: readonly string[]): Promise<void> {
    if (targets.length === 0) return;
    await this.#applyHeads(targets, await this.#deps.store.getMany(targets.map(headKey)));
  }

  /** The heads of sorted targets, and maybe some of others. */
  async #readHeads(targets: readonly string[]): Promise<Item[]> {
    const { store } = this.#deps;
    const [from = '', to = from] = [targets[0], targets.at(-1)];
    return await (this.#dense ? store.query({ pk: HEADS, sk: { from, to } }) : store.getMany(targets.map(headKey)));
  }

  /** Compiles what the heads say, up to a deadline, and takes it on in one step. */
  async #applyHeads(targets: readonly string[], items: readonly Item[], deadline = Number.POSITIVE_INFINITY) {
    const byTarget = new Map(items.map((item) => [item.sk, item]));
    const updates: [string, Slot | Gone][] = [];
    try {
      for (const target of targets) {
        if (this.#deps.clock.now() >= deadline) break;
        updates.push([target, await this.#judge(target, byTarget.get(target))]);
      }
    } finally {
      this.#set(updates);
    }
  }

  /** What a head asks to hold for its target. */
  async #judge(target: string, item: Item | undefined): Promise<Slot | Gone> {
    const slot = this.#slots.get(target);
    if (item === undefined) return { gone: true, version: slot?.version ?? 0 };
    const known = slot?.pending === false ? slot : undefined;
    let head: Head;
    try {
      head = readHead(item);
    } catch (error) {
      return await this.#keep(slot, target, undefined, error);
    }
    if (known !== undefined && head.version < known.version) return known;
    if (!isActive(head) || !this.#serves(head.record)) {
      this.#foreign = new Map(this.#foreign).set(target, head.version);
      return { gone: true, version: head.version };
    }
    if (head.version === known?.version) return known;
    try {
      const { version, record } = head;
      return { version, revision: record.revision, pending: false, entry: await loadPlan(this.#load, target, record) };
    } catch (error) {
      return await this.#keep(slot, target, head, error);
    }
  }

  /** What is held when the active revision cannot be: the last good plan, or one that was active before. */
  async #keep(slot: Slot | undefined, target: string, head: ActiveHead | undefined, error: unknown): Promise<Slot> {
    // A store that cannot be reached says nothing about the revision.
    if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error;
    const version = head?.version ?? slot?.version ?? 0;
    const revision = head?.record.revision ?? slot?.revision ?? 0;
    const reason = error instanceof Error ? error.message : 'unknown error';
    const message = head === undefined ? reason : `revision ${revision}: ${reason}`;
    this.#failures.push({ target, revision, reason });
    const entry = slot?.entry ?? (await loadFallback(this.#load, target, head));
    return { version, revision, pending: false, entry, error: { message, at: this.#deps.clock.now() } };
  }

  /** Copy on write, one copy for a batch; a slot that was overtaken in the meantime is left alone. */
  #set(updates: readonly (readonly [string, Slot | Gone])[]): void {
    if (updates.length === 0) return;
    const slots = new Map(this.#slots);
    for (const [target, slot] of updates) {
      if (slot.version < (slots.get(target)?.version ?? 0)) continue;
      if ('gone' in slot) slots.delete(target);
      else slots.set(target, slot);
    }
    this.#slots = slots;
  }
}

function filterOf(scope: Scope): ReturnType<typeof createConfigFilter> {
  return scope === undefined ? () => true : createConfigFilter(scope);
}

function newestByTarget(entries: readonly IndexEntry[]): Map<string, IndexEntry> {
  const newest = new Map<string, IndexEntry>();
  for (const entry of entries) {
    const known = newest.get(entry.target);
    if (known === undefined || entry.version > known.version) newest.set(entry.target, entry);
  }
  return newest;
}
