import type { WorkQueue } from '../ports.ts';
import type { AppStoreDeps } from '../records.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { WorkLog } from '../work/types.ts';

export const PASSES = ['fast', 'drift'] as const;
export type PassName = (typeof PASSES)[number];

/** A pass that came to its end. */
export interface PassRecord {
  readonly pass: PassName;
  readonly durationMs: number;
  /** Calls of AWS, those of the table left out. */
  readonly calls: number;
  /** Apps that were sent to the worker. */
  readonly sent: number;
}

export interface ReconcileDeps extends AppStoreDeps {
  readonly runtime: Runtime;
  readonly queue: WorkQueue;
  readonly log: WorkLog;
  /** From 0 up to 1; of ids of attempts, too. */
  readonly random: () => number;
  readonly telemetry?: { pass(record: PassRecord): void };
}

/** What a pass did; undefined when another one runs. */
export type PassResult = Omit<PassRecord, 'pass' | 'durationMs'> | undefined;
