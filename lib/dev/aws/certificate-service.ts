import type { CertificateSummary } from '@aws-sdk/client-acm';
import { cutPage, type JsonService } from './json-service.ts';

/** What ListCertificates shows when nothing is asked for. */
const USUAL_KEYS = ['RSA_1024', 'RSA_2048'];

/** ACM's ListCertificates over a list that is given. */
export function createCertificateService(certificates: readonly CertificateSummary[]): JsonService {
  return {
    ListCertificates({ Includes, CertificateStatuses: statuses, MaxItems = 1_000, NextToken }) {
      const { keyTypes = USUAL_KEYS } = (Includes ?? {}) as { keyTypes?: readonly string[] };
      const found = certificates.filter(
        ({ KeyAlgorithm: key = 'RSA_2048', Status = 'ISSUED' }) =>
          keyTypes.includes(key) && (!Array.isArray(statuses) || statuses.includes(Status)),
      );
      const { page, next } = cutPage(found, Number(MaxItems), NextToken);
      return { CertificateSummaryList: page.map(render), ...(next !== undefined && { NextToken: next }) };
    },
  };
}

/** Times are seconds. */
function render(summary: CertificateSummary) {
  const times = Object.entries(summary).map(([name, value]) => [
    name,
    value instanceof Date ? value.getTime() / 1_000 : value,
  ]);
  return Object.fromEntries(times);
}
