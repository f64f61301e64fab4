import { withoutSecrets } from '../fingerprint.ts';
import type { AppRecord, Attempt } from '../model.ts';
import { type AppChange, AppChanged, type AppStoreDeps, loadApp, saveApp } from '../records.ts';
import { LeaseLost } from './signals.ts';

/** Every save renews it. Longer than a message may take, so a worker that lives never loses it. */
const LEASE_MS = 60_000;

const TRIES = 8;

/** One worker's hold on one app. */
export interface Session {
  /** As it was last read or written. */
  app(): AppRecord;
  /**
   * Writes a change and renews the lease. `change` is asked again when another writer was in between, so it must judge
   * the record that it is given; a save that succeeds is proof that nobody else wrote.
   * @throws LeaseLost
   */
  save(change: (app: AppRecord) => AppChange): Promise<AppRecord>;
  /** Gives the lease back with a last change, unless the present record leaves something to do. */
  release(change: (app: AppRecord) => AppChange | undefined): Promise<boolean>;
}

/** Takes the lease. Undefined when another worker has it, or when the app is gone. */
export async function openSession(deps: AppStoreDeps, name: string): Promise<Session | undefined> {
  const owner = deps.ids();
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await loadApp(deps, name);
    if (before === undefined || hasLease(before, deps.clock.now())) return undefined;
    try {
      return createSession(
        deps,
        owner,
        await saveApp(deps, before, { ...resumed(deps, before), ...lease(deps, owner) }),
      );
    } catch (error) {
      if (!(error instanceof AppChanged)) throw error;
    }
  }
  return undefined;
}

export function hasLease({ lease }: AppRecord, now: number): boolean {
  return lease !== undefined && lease.expiresAt > now;
}

function createSession(deps: AppStoreDeps, owner: string, first: AppRecord): Session {
  let app = first;
  const write = async (change: (app: AppRecord) => AppChange | undefined): Promise<boolean> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const draft = change(app);
      if (draft === undefined) return false;
      try {
        app = await saveApp(deps, app, discreet(app, draft));
        return true;
      } catch (error) {
        if (!(error instanceof AppChanged)) throw error;
        const found = await loadApp(deps, app.name);
        if (found?.appId !== app.appId || found.lease?.owner !== owner) throw new LeaseLost(app.name);
        app = found;
      }
    }
    throw new LeaseLost(app.name);
  };
  return {
    app: () => app,
    async save(change) {
      await write((present) => ({ ...change(present), ...lease(deps, owner) }));
      return app;
    },
    release: (change) =>
      write((present) => {
        const draft = change(present);
        return draft && { ...draft, lease: undefined };
      }),
  };
}

/** What an app or AWS said is in these texts, and whoever may read the app reads them. */
function discreet(app: AppRecord, change: AppChange): AppChange {
  const { attempt, conditions, retry } = change;
  const clean = <T extends string | undefined>(text: T) => (text === undefined ? text : withoutSecrets(app, text)) as T;
  return {
    ...change,
    ...(attempt && { attempt: discreetAttempt(attempt, clean) }),
    ...(conditions && { conditions: conditions.map((each) => ({ ...each, message: clean(each.message) })) }),
    ...(retry && { retry: { ...retry, reason: clean(retry.reason) } }),
  };
}

function discreetAttempt(attempt: Attempt, clean: <T extends string | undefined>(text: T) => T): Attempt {
  const { failure } = attempt;
  return {
    ...attempt,
    steps: attempt.steps.map((step) => ({ ...step, ...(step.detail !== undefined && { detail: clean(step.detail) }) })),
    ...(failure && {
      failure: {
        ...failure,
        cause: clean(failure.cause),
        ...(failure.excerpt !== undefined && { excerpt: clean(failure.excerpt) }),
      },
    }),
  };
}

function lease({ clock }: AppStoreDeps, owner: string) {
  return { lease: { owner, expiresAt: clock.now() + LEASE_MS } };
}

/** What a step may take counts anew when a worker was lost in it: the time until somebody noticed is not the step's. */
function resumed({ clock }: AppStoreDeps, { attempt, lease }: AppRecord): AppChange {
  const last = attempt?.steps.at(-1);
  if (lease === undefined || attempt?.status !== 'running' || last === undefined) return {};
  if (last.finishedAt !== undefined) return {};
  // What it found stays: it may be the reason why the alias was moved back.
  const detail = [last.detail, 'taken over from a lost worker'].filter((text) => text !== undefined).join('; ');
  const steps = [...attempt.steps.slice(0, -1), { ...last, startedAt: clock.now(), detail }];
  return { attempt: { ...attempt, steps } };
}
