import type { Build } from './model.ts';
import type { Sandbox } from './sandbox.ts';

interface PoolOptions {
  readonly start: (build: Build) => Promise<Sandbox>;
  /** How many there are at most. */
  readonly size: number;
  /** When one that has nothing to do ends. */
  readonly idleMs: number;
}

interface Slot {
  readonly buildId: string;
  readonly sandbox: Promise<Sandbox>;
  /** Known when the process is there. */
  started?: Sandbox;
  busy: boolean;
  /** Ends when its call does. */
  retired: boolean;
  idle?: NodeJS.Timeout;
}

/** The processes of one function, used again as long as they are healthy and wanted. */
export class SandboxPool {
  readonly #options: PoolOptions;
  readonly #slots = new Set<Slot>();
  /** Calls that wait for a process. */
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Has a process of the build to itself while `work` runs; waits when all are busy. */
  async use<T>(build: Build, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const slot = await this.#acquire(build);
    try {
      return await work(await slot.sandbox);
    } finally {
      this.#release(slot);
    }
  }

  /** Ends processes of builds that are not wanted: idle ones now, busy ones when their call ends. */
  retire(keep: ReadonlySet<string>): void {
    for (const slot of this.#slots) {
      if (keep.has(slot.buildId)) continue;
      slot.retired = true;
      if (!slot.busy) void this.#end(slot);
    }
  }

  get processes(): readonly number[] {
    return [...this.#slots].flatMap(({ started }) => started?.pid ?? []);
  }

  /** Does not wait. */
  killAll(): void {
    for (const { started } of this.#slots) void started?.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#slots].map((slot) => this.#end(slot)));
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  async #acquire(build: Build): Promise<Slot> {
    for (;;) {
      if (this.#closed) throw new Error('The emulator is closed.');
      const idle = [...this.#slots].filter(({ busy }) => !busy);
      const warm = idle.find(({ buildId, started }) => buildId === build.buildId && started?.ended === false);
      if (warm !== undefined) {
        clearTimeout(warm.idle);
        warm.busy = true;
        return warm;
      }
      if (this.#slots.size < this.#options.size) return this.#start(build);
      const other = idle[0];
      if (other === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else await this.#end(other);
    }
  }

  #start(build: Build): Slot {
    const sandbox = this.#options.start(build);
    const slot: Slot = { buildId: build.buildId, busy: true, retired: false, sandbox };
    this.#slots.add(slot);
    sandbox.then(
      (started) => {
        slot.started = started;
      },
      () => this.#slots.delete(slot),
    );
    return slot;
  }

  #release(slot: Slot): void {
    slot.busy = false;
    if (slot.retired || slot.started?.ended !== false) void this.#end(slot);
    else slot.idle = setTimeout(() => void this.#end(slot), this.#options.idleMs).unref();
    this.#waiting.shift()?.();
  }

  async #end(slot: Slot): Promise<void> {
    clearTimeout(slot.idle);
    this.#slots.delete(slot);
    await slot.sandbox.then(
      (sandbox) => sandbox.kill(),
      // It never started; its call has the reason.
      () => {},
    );
  }
}
