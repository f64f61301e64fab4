import type { WorkMessage, WorkQueue } from '../apps/ports.ts';

interface DevelopmentQueueOptions {
  /** Works on a message; one that rejects is delivered again. */
  readonly handle: (message: WorkMessage) => Promise<void>;
  /** Gets what was delivered in vain, as the dead-letter queue would. */
  readonly onDead: (message: WorkMessage, reason: unknown) => Promise<void> | void;
  readonly clock: { now(): number };
  /** Resolves after so many milliseconds; ends at once, either way, when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Until a failed message is delivered again, in milliseconds; 5,000 when absent, 90,000 on AWS. */
  readonly visibilityMs?: number;
  /** Deliveries of one message; 5 when absent. */
  readonly maxReceives?: number;
  /** Messages of different apps that are worked on at once; 4 when absent. */
  readonly concurrency?: number;
}

export interface DevelopmentQueue extends WorkQueue {
  /** Resolves when nothing waits or runs, what is to be delivered again included. */
  idle(): Promise<void>;
  /** Takes no more, lets running work end, and drops the rest: the fast pass finds it at the next start. */
  close(): Promise<void>;
}

const DEDUPE_MS = 300_000;

/**
 * The queue of work in this process, with the meaning of a FIFO queue of SQS: one message of an app at a time and in their
 * order, the same id within five minutes counted once (even when its message is done), redelivery after a failure while the
 * later messages of the app wait, and an end after so many deliveries.
 */
export function createDevelopmentQueue(options: DevelopmentQueueOptions): DevelopmentQueue {
  const { clock, concurrency = 4 } = options;
  const groups = new Map<string, WorkMessage[]>();
  /** When each id was first seen, the oldest first. */
  const seen = new Map<string, number>();
  const turns: (() => void)[] = [];
  const waiting = new Set<() => void>();
  const closing = new AbortController();
  let running = 0;

  /** Works on the messages of one app until there are none. */
  const drain = async (app: string, messages: WorkMessage[]) => {
    for (let message = messages[0]; message !== undefined && !closing.signal.aborted; message = messages[0]) {
      await deliver(options, message, closing.signal, takeTurn);
      messages.shift();
    }
    groups.delete(app);
    if (groups.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const takeTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) await new Promise<void>((resolve) => turns.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = turns.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  const idle = () => (groups.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.add(resolve)));

  return {
    idle,
    async send(message, dedupeId) {
      if (closing.signal.aborted) throw new Error('the queue is closed');
      for (const [id, at] of seen) {
        if (at + DEDUPE_MS > clock.now()) break;
        seen.delete(id);
      }
      if (seen.has(dedupeId)) return;
      seen.set(dedupeId, clock.now());
      const present = groups.get(message.app);
      if (present !== undefined) return void present.push(message);
      const messages = [message];
      groups.set(message.app, messages);
      // The work does not run within the call of the sender.
      queueMicrotask(() => void drain(message.app, messages));
    },
    close() {
      closing.abort();
      return idle();
    },
  };
}

/** Delivers one message until it is done or dead. Never rejects. */
async function deliver(
  { handle, onDead, delay, visibilityMs = 5_000, maxReceives = 5 }: DevelopmentQueueOptions,
  message: WorkMessage,
  closing: AbortSignal,
  takeTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  let reason: unknown;
  for (let receives = 0; receives < maxReceives && !closing.aborted; receives += 1) {
    try {
      await takeTurn(async () => (closing.aborted ? undefined : handle(message)));
      return;
    } catch (error) {
      reason = error;
    }
    if (!closing.aborted) await delay(visibilityMs, closing).catch(() => {});
  }
  if (closing.aborted) return;
  try {
    await onDead(message, reason);
  } catch {
    // On AWS too it would stay where it is.
  }
}
