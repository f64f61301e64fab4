import type { CertificateSummary } from '@aws-sdk/client-acm';
import { type AwsEmulator, type AwsEmulatorOptions, startAwsEmulator } from '../../lib/dev/aws/emulator.ts';
import {
  createInvocationStore,
  createLogStore,
  type InvocationStore,
  type LogStore,
} from '../../lib/dev/lambda/stores.ts';

export interface AwsEmulatorForTest extends AwsEmulator {
  readonly logs: LogStore;
  readonly invocations: InvocationStore;
  /** What ACM lists; a test adds to it. */
  readonly certificates: CertificateSummary[];
  /** What went wrong in the emulator itself. */
  readonly faults: unknown[];
}

export const BUCKET = 'artifacts';

/** With the real clock unless a test brings its own. */
export async function startAwsEmulatorForTest(options: Partial<AwsEmulatorOptions> = {}): Promise<AwsEmulatorForTest> {
  const [logs, invocations] = [createLogStore(), createInvocationStore()];
  const certificates: CertificateSummary[] = [];
  const faults: unknown[] = [];
  const emulator = await startAwsEmulator({
    clock: { now: () => Date.now() },
    buckets: [BUCKET],
    logs,
    invocations,
    certificates,
    onFault: (fault) => void faults.push(fault),
    ...options,
  });
  return { ...emulator, logs, invocations, certificates, faults };
}
