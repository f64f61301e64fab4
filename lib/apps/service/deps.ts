import type { AppLogs, AppMetrics, Artifacts, Images, SecretValues, WorkQueue } from '../ports.ts';
import type { AppStoreDeps } from '../records.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Account } from '../spec/image.ts';

export interface AppServiceDeps extends AppStoreDeps {
  /** So many random bytes, fit for ids that nobody can guess. */
  readonly random: (bytes: number) => Uint8Array;
  readonly queue: WorkQueue;
  readonly artifacts: Artifacts;
  readonly images: Images;
  readonly secretValues: SecretValues;
  readonly logs: AppLogs;
  readonly metrics: AppMetrics;
  /** For rollback: whether the version is still there. */
  readonly runtime: Pick<Runtime, 'findVersion'>;
  readonly account: Account;
  /** How many instances apps may reserve together. */
  readonly maxConcurrency: number;
}
