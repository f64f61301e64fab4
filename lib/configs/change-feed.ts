import type { Clock } from '../clock.ts';
import type { Store } from '../store/ports.ts';
import { CHANGE_RETENTION_MS, type Change, readChanges } from './changes.ts';

/** A look is due after this long; it runs beside the conversion. */
const DUE_MS = 5_000;
/** After this long without a look, the look is awaited before converting. */
const STALE_MS = 60_000;
/** How long an answer waits for a look that ran beside its conversion. */
const BESIDE_WAIT_MS = 250;
/** How long a conversion waits for a look that must come first. With the store gone, it then uses the last good plans. */
const BEFORE_WAIT_MS = 1_000;
/**
 * Looks for what is missing start no more often than this, so whoever invents names causes 10 Queries a second at most.
 * A request that comes in between is held until the next one: what it asks for may have been made a moment ago. Lambda
 * gives an instance no more than 10 requests a second either, so holding one takes no room from others.
 */
const MISSING_MS = 100;
/** A look that takes longer hangs (an instance that was frozen in the middle of one): it is no longer waited for. */
const HANGING_MS = 5_000;
/** How far before the last look each look reads: clocks differ, and a change is announced before it is made. */
const OVERLAP_MS = 120_000;
/** How often the index is compared with what is held, whatever the change index says. */
const RESYNC_MS = 600_000;

/** Applies changes; `resync` asks to compare everything held with the index too. Rejects when the store fails. */
type ChangeListener = (changes: readonly Change[], resync: boolean) => Promise<void>;

interface FeedDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly delay: (ms: number) => Promise<void>;
}

interface Look {
  readonly startedAt: number;
  readonly done: Promise<void>;
}

/**
 * Decides when a process looks for changes. Nothing runs on Lambda between invocations, so every look starts with a
 * request. One Query for the whole process, and one look at a time.
 */
export class ChangeFeed {
  readonly #deps: FeedDeps;
  readonly #listener: ChangeListener;
  #lastLook: number;
  #lastResync: number;
  #lastAttempt = Number.NEGATIVE_INFINITY;
  #running: Look | undefined;
  /** A look that is held back; it has not started yet. */
  #next: Promise<Look> | undefined;
  #looks = 0;
  #failures = 0;

  constructor(deps: FeedDeps, listener: ChangeListener) {
    this.#deps = deps;
    this.#listener = listener;
    this.#lastLook = deps.clock.now();
    this.#lastResync = this.#lastLook;
  }

  /**
   * Looks, if one is due. While `isMissing` says that what is held is not enough, a look that started after the call is
   * awaited, for a second at most. Never rejects.
   * @returns what to await before the answer goes out
   */
  async freshen(isMissing: () => boolean): Promise<() => Promise<void>> {
    const now = this.#deps.clock.now();
    const running = this.#runningAt(now);
    if (isMissing()) {
      if (running !== undefined) await this.#wait(running, BEFORE_WAIT_MS);
      if (isMissing()) await this.#lookAfter(running);
      return settled;
    }
    const age = now - this.#lastLook;
    if (age < DUE_MS || (running === undefined && now - this.#lastAttempt < DUE_MS)) return settled;
    const look = running ?? this.#start(now);
    if (age < STALE_MS) return () => this.#wait(look, BESIDE_WAIT_MS);
    await this.#wait(look, BEFORE_WAIT_MS);
    return settled;
  }

  /** A look that starts now, whatever is running. Rejects when it fails. */
  async refresh(): Promise<void> {
    await this.#start(this.#deps.clock.now()).done;
  }

  /** Counts since the last call. */
  drain(): { readonly looks: number; readonly lookFailures: number } {
    const counts = { looks: this.#looks, lookFailures: this.#failures };
    this.#looks = 0;
    this.#failures = 0;
    return counts;
  }

  /** Waits for a look that starts from here on: `seen` may have read before what is missing was stored. */
  async #lookAfter(seen: Look | undefined): Promise<void> {
    const now = this.#deps.clock.now();
    const running = this.#runningAt(now);
    if (running !== undefined) {
      // Else it hangs, and there is one look at a time.
      if (running !== seen) await this.#wait(running, BEFORE_WAIT_MS);
      return;
    }
    const left = this.#lastAttempt + MISSING_MS - now;
    if (left > 0) this.#next ??= this.#startIn(Math.min(left, MISSING_MS));
    const look = this.#next === undefined ? this.#start(now) : await this.#next;
    await this.#wait(look, BEFORE_WAIT_MS);
  }

  /** The next look, for all the requests that wait for it. */
  async #startIn(ms: number): Promise<Look> {
    await this.#deps.delay(ms);
    this.#next = undefined;
    const now = this.#deps.clock.now();
    return this.#runningAt(now) ?? this.#start(now);
  }

  #runningAt(now: number): Look | undefined {
    return this.#running && now - this.#running.startedAt < HANGING_MS ? this.#running : undefined;
  }

  #start(now: number): Look {
    const look: Look = { startedAt: now, done: this.#look(now) };
    this.#running = look;
    this.#lastAttempt = now;
    const end = (): void => {
      if (this.#running === look) this.#running = undefined;
    };
    look.done.then(end, () => {
      this.#failures += 1;
      end();
    });
    return look;
  }

  async #look(now: number): Promise<void> {
    this.#looks += 1;
    const resync = now - this.#lastResync >= RESYNC_MS || now - this.#lastLook >= CHANGE_RETENTION_MS / 2;
    const changes = await readChanges(this.#deps.store, this.#lastLook - OVERLAP_MS);
    await this.#listener(changes, resync);
    // Only a look that went through moves the mark: what a failed one missed is read by the next.
    this.#lastLook = Math.max(this.#lastLook, now);
    if (resync) this.#lastResync = now;
  }

  /** Counted from the start of the look: of all the requests that meet one that hangs, only the first waits. */
  async #wait({ startedAt, done }: Look, ms: number): Promise<void> {
    const left = startedAt + ms - this.#deps.clock.now();
    if (left > 0) await Promise.race([done.catch(() => {}), this.#deps.delay(left)]);
  }
}

async function settled(): Promise<void> {}
