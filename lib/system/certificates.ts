import type { CertificateFacts, Certificates } from '../apps/ports.ts';
import type { Clock } from '../clock.ts';

export interface CertificateView {
  readonly domain: string;
  readonly sans?: readonly string[];
  readonly issuer?: string;
  /** RFC 3339. */
  readonly not_before: string;
  readonly not_after: string;
  readonly status: CertificateStatus;
}

export type CertificateStatus = 'healthy' | 'expiring_soon' | 'expired';

interface CertificateOptions {
  readonly certificates: Certificates;
  /** Domains that apps have claimed. */
  readonly claimed: () => Promise<readonly string[]>;
  readonly clock: Clock;
  /** How long before its end a certificate counts as expiring soon, in milliseconds. */
  readonly warningMs: number;
}

/**
 * The certificates of ACM, in this Region, that cover a domain which an app has claimed, by domain. Without a claim AWS is not
 * asked. One that is not issued yet has no times, and is left out.
 */
export async function listCertificates(options: CertificateOptions): Promise<CertificateView[]> {
  const { certificates, claimed, clock, warningMs } = options;
  const domains = await claimed();
  if (domains.length === 0) return [];
  const found = await certificates.list();
  return found
    .filter((facts) => domains.some((domain) => covers(facts, domain)))
    .flatMap((facts) => render(facts, clock.now(), warningMs) ?? [])
    .toSorted((a, b) => (a.domain < b.domain ? -1 : Number(a.domain > b.domain)));
}

/** The edge itself is healthy; the very end has expired. */
export function certificateStatus(notAfter: number, now: number, warningMs: number): CertificateStatus {
  if (notAfter <= now) return 'expired';
  return notAfter < now + warningMs ? 'expiring_soon' : 'healthy';
}

function render(facts: CertificateFacts, now: number, warningMs: number): CertificateView | undefined {
  const { domain, sans, issuer, notBefore, notAfter } = facts;
  if (notBefore === undefined || notAfter === undefined) return undefined;
  return {
    domain,
    ...(sans.length > 0 && { sans }),
    ...(issuer !== undefined && { issuer }),
    not_before: new Date(notBefore).toISOString(),
    not_after: new Date(notAfter).toISOString(),
    status: certificateStatus(notAfter, now, warningMs),
  };
}

/** A wildcard stands for exactly one label (RFC 6125, 6.4.3). A claimed wildcard needs a certificate for the same wildcard. */
function covers({ domain, sans }: CertificateFacts, claimed: string): boolean {
  const names = new Set([domain, ...sans]);
  return names.has(claimed) || names.has(`*${claimed.slice(claimed.indexOf('.'))}`);
}
