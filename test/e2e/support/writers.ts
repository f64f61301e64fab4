import type { KubeClient } from './kube-client.ts';
import { waitFor } from './wait.ts';
import type { Running } from './workbench.ts';

/** One pass of a loop over objects that no other loop touches. Throws when an answer is not what it must be. */
export type Round = (ask: KubeClient['ask'], number: number) => Promise<void>;

/** Loops that call an apiserver, all at the same time, again and again, whatever fails. */
export interface Writers {
  /** What went wrong: calls that failed, and answers that were not what they must be. */
  readonly failures: () => readonly string[];
  /** Resolves when each loop has made a whole round since. */
  readonly nextRound: () => Promise<void>;
  /** Runs something, and counts the calls of each loop that ran at the same time, in whole or in part. */
  readonly countDuring: (run: () => Promise<void>) => Promise<Record<string, number>>;
  readonly stop: () => Promise<void>;
}

interface State {
  rounds: number;
  sent: number;
  answered: number;
}

/** @param process they need it: without it nothing is waited for */
export function startWriters(client: KubeClient, process: Running, loops: Readonly<Record<string, Round>>): Writers {
  const failures: string[] = [];
  const states: Record<string, State> = {};
  let stopped = false;

  const write = async (name: string, round: Round) => {
    const state: State = { rounds: 0, sent: 0, answered: 0 };
    states[name] = state;
    const ask: KubeClient['ask'] = async (...call) => {
      state.sent += 1;
      try {
        return await client.ask(...call);
      } finally {
        state.answered += 1;
      }
    };
    for (; !stopped; state.rounds += 1) {
      try {
        await round(ask, state.rounds);
      } catch (error) {
        failures.push(`${name}: ${(error as Error).message}`);
      }
    }
  };
  const writing = Promise.all(Object.entries(loops).map(([name, round]) => write(name, round)));

  return {
    failures: () => failures,
    async nextRound() {
      const before = structuredClone(states);
      // The first one that ends had begun before.
      const isDone = () =>
        Object.entries(states).every(([name, { rounds }]) => rounds >= (before[name]?.rounds ?? 0) + 2);
      await waitFor('a round of each writer', process, () => isDone() || undefined, 60_000);
    },
    async countDuring(run) {
      const before = structuredClone(states);
      await run();
      const count = ([name, { sent }]: [string, State]) => [name, sent - (before[name]?.answered ?? 0)] as const;
      return Object.fromEntries(Object.entries(states).map(count));
    },
    async stop() {
      stopped = true;
      await writing;
    },
  };
}
