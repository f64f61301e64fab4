import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { endpointKey } from '../store/keys.ts';
import type { Store } from '../store/ports.ts';
import { ChangeFeed } from './change-feed.ts';
import type { Change } from './changes.ts';
import { type CompileRevision, compileRevision } from './compile-revision.ts';
import { type EndpointRecord, loadDefaultEndpoint, loadEndpoints, parseEndpointItem } from './endpoint-records.ts';
import { PlanRegistry, type Scope } from './registry.ts';
import { verifyToken } from './tokens.ts';
import type { Registries, Registry } from './types.ts';

export interface RegistriesDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Milliseconds of a clock that never jumps, for how long compiling takes. */
  readonly timer?: () => number;
  readonly compileRevision?: CompileRevision;
  /** Resolves after so many milliseconds; a process that has nothing else to do must not end before. */
  readonly delay?: (ms: number) => Promise<void>;
  /** How long `warm` and the first load of a registry may take, in milliseconds; the rest is left for first use. */
  readonly loadBudgetMs?: number;
}

const LOAD_BUDGET_MS = 1_000;

export function createRegistries(deps: RegistriesDeps): Registries {
  return new RegistryPool({
    compileRevision,
    timer: () => performance.now(),
    delay: (ms) => wait(ms),
    loadBudgetMs: LOAD_BUDGET_MS,
    ...deps,
  });
}

class RegistryPool implements Registries {
  readonly #deps: Required<RegistriesDeps>;
  readonly #feed: ChangeFeed;
  /** All endpoints there are; undefined until they were read. */
  #endpoints: ReadonlyMap<string, EndpointRecord> | undefined;
  #loading: Promise<void> | undefined;
  readonly #registries = new Map<string | undefined, Promise<PlanRegistry>>();

  constructor(deps: Required<RegistriesDeps>) {
    this.#deps = deps;
    this.#feed = new ChangeFeed(deps, (changes, resync) => this.#apply(changes, resync));
  }

  async open(name: string, token: string): Promise<Registry | undefined> {
    await this.#loadEndpoints();
    // A token that is not known may be new. A wrong one and an unknown endpoint cost the same.
    await this.#feed.freshen(() => !this.admits(name, token));
    return this.admits(name, token) ? await this.#registry(name, this.#endpoints?.get(name)) : undefined;
  }

  admits(name: string, token: string): boolean {
    return verifyToken(this.#endpoints?.get(name), token, this.#deps.clock.now());
  }

  async all(): Promise<Registry> {
    return await this.#registry(undefined, undefined);
  }

  async warm(): Promise<void> {
    const { delay, loadBudgetMs } = this.#deps;
    // Reads that hang are left behind: Lambda gives init 10 s before it starts the process over.
    await Promise.race([this.#warm(this.#loadDeadline()), delay(loadBudgetMs)]);
  }

  async ready(): Promise<void> {
    await this.#loadEndpoints();
  }

  async #warm(deadline: number): Promise<void> {
    try {
      await this.#loadEndpoints();
      const [only] = this.#endpoints?.size === 1 ? this.#endpoints.keys() : [];
      const name = only ?? (await loadDefaultEndpoint(this.#deps.store));
      const endpoint = name === undefined ? undefined : this.#endpoints?.get(name);
      if (endpoint !== undefined) await this.#registry(endpoint.name, endpoint, deadline);
    } catch {
      // The first request loads what could not be loaded now, and reports the failure.
    }
  }

  #loadDeadline(): number {
    return this.#deps.clock.now() + this.#deps.loadBudgetMs;
  }

  async #loadEndpoints(): Promise<void> {
    if (this.#endpoints !== undefined) return;
    this.#loading ??= this.#readEndpoints().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #readEndpoints(): Promise<void> {
    const records = await loadEndpoints(this.#deps.store);
    this.#endpoints = new Map(records.map((record) => [record.name, record]));
  }

  async #registry(key: string | undefined, scope: Scope, deadline = this.#loadDeadline()): Promise<PlanRegistry> {
    const known = this.#registries.get(key);
    if (known !== undefined) return await known;
    const made = this.#load(scope, deadline);
    this.#registries.set(key, made);
    try {
      return await made;
    } catch (error) {
      this.#registries.delete(key);
      throw error;
    }
  }

  async #load(scope: Scope, deadline: number): Promise<PlanRegistry> {
    const registry = new PlanRegistry({ ...this.#deps, feed: this.#feed }, scope);
    await registry.resync();
    await registry.compilePending(deadline - this.#deps.clock.now());
    return registry;
  }

  /** Endpoints first: a registry whose selector changed compares itself with the index before it takes changes on. */
  async #apply(changes: readonly Change[], resync: boolean): Promise<void> {
    await this.#applyEndpoints(changes, resync);
    await Promise.all(
      [...this.#registries].map(async ([name, made]) => {
        const endpoint = name === undefined ? undefined : this.#endpoints?.get(name);
        if (name !== undefined && endpoint === undefined) {
          this.#registries.delete(name);
          return;
        }
        const registry = await made.catch(() => undefined);
        registry?.rescope(endpoint);
        await registry?.apply(changes, resync);
      }),
    );
  }

  async #applyEndpoints(changes: readonly Change[], resync: boolean): Promise<void> {
    const before = this.#endpoints;
    if (before === undefined) return;
    const named = changes.filter((change) => {
      return change.kind === 'endpoint' && change.version > (before.get(change.name)?.version ?? 0);
    });
    if (resync) await this.#readEndpoints();
    else if (named.length > 0) await this.#rereadEndpoints(before, new Set(named.map(({ name }) => name)));
  }

  async #rereadEndpoints(before: ReadonlyMap<string, EndpointRecord>, names: ReadonlySet<string>): Promise<void> {
    const items = await this.#deps.store.getMany([...names].map(endpointKey));
    const endpoints = new Map(before);
    for (const record of items.map(parseEndpointItem)) {
      if (record === undefined) continue;
      if (record.removed) endpoints.delete(record.name);
      else if (record.version > (before.get(record.name)?.version ?? 0)) endpoints.set(record.name, record);
    }
    this.#endpoints = endpoints;
  }
}
