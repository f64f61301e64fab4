import type { Artifacts, Images, LogGroups, Probe, Roles, SecretValues, WorkQueue } from '../ports.ts';
import type { AppStoreDeps } from '../records.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Fields never hold values of variables or secrets. */
export interface WorkLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** An attempt that came to a verdict. */
interface DeployRecord {
  readonly result: 'succeeded' | 'failed';
  /** From the moment it was asked for. */
  readonly durationMs: number;
  readonly app: string;
  readonly attempt: string;
  /** Why it failed. */
  readonly code?: string;
}

export interface WorkerDeps extends AppStoreDeps {
  readonly runtime: Runtime;
  readonly artifacts: Artifacts;
  readonly images: Images;
  readonly roles: Roles;
  readonly logGroups: LogGroups;
  readonly secretValues: SecretValues;
  readonly queue: WorkQueue;
  readonly probe: Probe;
  /** Resolves after so many milliseconds. */
  readonly delay: (ms: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: WorkLog;
  readonly telemetry?: { deploy(record: DeployRecord): void };
  readonly settings: WorkerSettings;
}

export interface WorkerSettings {
  readonly stage: string;
  /** The layer that turns secrets into variables of zip packages on Node.js. */
  readonly secretsLayerArn?: string;
}

/**
 * How a look at an app ended: nothing is left to do; a message was sent to go on at once; or the index of what needs
 * attention says when somebody looks again.
 */
export type Outcome = 'done' | 'again' | 'later';
