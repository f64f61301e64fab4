import type { AppRecord } from '../../apps/model.ts';
import type { AccountState } from '../../apps/runtime/runtime.ts';
import { appChecks } from './app-checks.ts';
import type { DoctorCheck, DoctorDeps, DoctorFacts, Finding } from './check.ts';
import { platformChecks } from './platform-checks.ts';

export interface CheckResult extends Finding {
  readonly code: string;
  readonly name: string;
}

export interface DoctorReport {
  /** False only when a check failed: warnings and what could not be found out do not count. */
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

interface DoctorOptions extends DoctorDeps {
  readonly loadApps: () => Promise<readonly AppRecord[]>;
  readonly loadAccount: () => Promise<AccountState>;
  readonly delay: (ms: number) => Promise<void>;
}

/** Every check, in the order of the answer. */
const CHECKS: readonly DoctorCheck[] = [...platformChecks, ...appChecks];
/** How long one check may take. */
const CHECK_MS = 5_000;

/** Makes all checks at once, live, each for 5 s at most. Never rejects. */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const facts: DoctorFacts = { apps: once(options.loadApps), account: once(options.loadAccount) };
  const checks = await Promise.all(CHECKS.map((check) => runCheck(check, options, facts)));
  return { ok: checks.every(({ status }) => status !== 'fail'), checks };
}

async function runCheck(check: DoctorCheck, options: DoctorOptions, facts: DoctorFacts): Promise<CheckResult> {
  const { code, name } = check;
  const late = options.delay(CHECK_MS).then((): Finding => ({ status: 'unknown', message: 'It took more than 5 s.' }));
  try {
    const run = async () => await check.run(options, facts);
    return { code, name, ...(await Promise.race([run(), late])) };
  } catch (error) {
    // Its own text could hold anything; the log of the part that failed has it.
    const reason = error instanceof Error ? error.name : 'an error';
    return { code, name, status: 'unknown', message: `It could not be found out (${reason}).` };
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
