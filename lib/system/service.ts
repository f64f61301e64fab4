import type { AppRecord } from '../apps/model.ts';
import type { Certificates } from '../apps/ports.ts';
import type { Runtime } from '../apps/runtime/runtime.ts';
import type { CertificateView } from './certificates.ts';
import { listCertificates } from './certificates.ts';
import type { DoctorDeps } from './doctor/check.ts';
import { type DoctorReport, runDoctor } from './doctor/doctor.ts';
import { type CheckDomain, createDomainCheck, type Dns, type DomainCheck } from './domain-check.ts';
import { createFleetCache } from './fleet-cache.ts';
import { readStatus, type StoredAccount, type SystemStatus } from './status.ts';

export interface SystemService {
  status(): Promise<SystemStatus>;
  doctor(): Promise<DoctorReport>;
  certificates(): Promise<readonly CertificateView[]>;
  /** @param requestHost where this request came to, which is what nobody has said better */
  checkDomain(domain: string, requestHost: string | undefined): Promise<DomainCheck>;
}

interface SystemDeps extends Omit<DoctorDeps, 'certificates' | 'runtime'> {
  readonly runtime: Pick<Runtime, 'findUrl' | 'account'>;
  readonly certificates: Certificates;
  readonly loadApps: () => Promise<readonly AppRecord[]>;
  readonly claimedDomains: () => Promise<readonly string[]>;
  readonly dns: Dns;
  readonly delay: (ms: number) => Promise<void>;
  /** Rejects when the table cannot be read. */
  readonly checkDatabase: () => Promise<void>;
  /** Where domains of apps should lead. */
  readonly publicHost: string | undefined;
  readonly certificateWarningMs: number;
  readonly configured: Pick<SystemStatus, 'secrets_configured' | 'telemetry_configured' | 'alerts_configured'>;
}

export function createSystemService(deps: SystemDeps): SystemService {
  const { runtime, clock, publicHost, checkDatabase } = deps;
  const account = createFleetCache<StoredAccount>({ ...deps, name: 'account', fetch: () => runtime.account() });
  const checkDomain: CheckDomain = createDomainCheck(deps);
  const certificates = () =>
    listCertificates({
      certificates: deps.certificates,
      claimed: deps.claimedDomains,
      clock,
      warningMs: deps.certificateWarningMs,
    });
  return {
    status: () => readStatus({ account, checkDatabase, configured: deps.configured }),
    doctor: () => runDoctor({ ...deps, certificates, loadAccount: () => runtime.account() }),
    certificates,
    checkDomain: (domain, requestHost) =>
      checkDomain(domain, { host: publicHost ?? requestHost, inferred: publicHost === undefined }),
  };
}
