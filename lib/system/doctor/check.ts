import type { AppRecord } from '../../apps/model.ts';
import type { AccountState, Runtime } from '../../apps/runtime/runtime.ts';
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/ports.ts';
import type { CertificateView } from '../certificates.ts';

export type DoctorStatus = 'ok' | 'warn' | 'fail' | 'unknown';

/** What a check found: a sentence for people, and what to do where something is wrong. */
export interface Finding {
  readonly status: DoctorStatus;
  readonly message: string;
  readonly fix?: string;
}

/** One row of the table of checks. */
export interface DoctorCheck {
  readonly code: string;
  readonly name: string;
  /** A rejection is `unknown`: the check itself could not be made. */
  readonly run: (deps: DoctorDeps, facts: DoctorFacts) => Promise<Finding> | Finding;
}

export interface DoctorDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly runtime: Pick<Runtime, 'findUrl'>;
  /** One synthetic review through the URL of `convert`: what was wrong with the answer, or undefined. */
  readonly probeConvert: () => Promise<string | undefined>;
  /** What the clock of AWS says, in milliseconds. */
  readonly serverTime: () => Promise<number>;
  readonly certificates: () => Promise<readonly CertificateView[]>;
  /** Tokens that were made and are valid now, without the root token. */
  readonly countTokens: () => Promise<number>;
}

/** What several checks look at, read once. A rejection reaches those that ask for it. */
export interface DoctorFacts {
  readonly apps: () => Promise<readonly AppRecord[]>;
  readonly account: () => Promise<AccountState>;
}

export function ok(message: string): Finding {
  return { status: 'ok', message };
}
