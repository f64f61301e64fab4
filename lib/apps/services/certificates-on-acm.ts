import {
  ACMClient,
  type ACMClientConfig,
  type CertificateSummary,
  KeyAlgorithm,
  ListCertificatesCommand,
  type ListCertificatesCommandOutput,
} from '@aws-sdk/client-acm';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { CertificateFacts, Certificates } from '../ports.ts';
import { askAws } from './app-error.ts';

export interface CertificateOptions {
  /** What is absent is the SDK's to find. */
  readonly client: Pick<ACMClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** Of 1,000 each. ACM's quota is 2,500 certificates. */
const MAX_PAGES = 5;
const PAGE = 1_000;
/** Unasked, ACM leaves out every key but RSA of 1024 and 2048 bits. */
const KEY_TYPES = Object.values(KeyAlgorithm);

/**
 * All certificates of ACM in this Region, whatever their keys and their status, from one list: no call for each. The names
 * beside the domain are the first 100. Rejects with `AppError`.
 */
export function createAcmCertificates({ client: settings, attemptMs }: CertificateOptions): Certificates {
  const client = new ACMClient({
    ...settings,
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  return {
    async list() {
      const facts: CertificateFacts[] = [];
      let NextToken: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const command = new ListCertificatesCommand({ Includes: { keyTypes: KEY_TYPES }, MaxItems: PAGE, NextToken });
        const found: ListCertificatesCommandOutput = await askAws('ACM', () => client.send(command));
        facts.push(...(found.CertificateSummaryList ?? []).flatMap(readSummary));
        NextToken = found.NextToken;
        if (NextToken === undefined) break;
      }
      return facts;
    },
  };
}

/** Who issued an imported or a private one is not in the list. */
function readSummary(summary: CertificateSummary): CertificateFacts[] {
  const { CertificateArn: arn, DomainName: domain, NotBefore, NotAfter, Type } = summary;
  if (arn === undefined || domain === undefined) return [];
  return [
    {
      arn,
      domain,
      sans: summary.SubjectAlternativeNameSummaries ?? [],
      ...(Type === 'AMAZON_ISSUED' && { issuer: 'Amazon' }),
      ...(NotBefore && { notBefore: NotBefore.getTime() }),
      ...(NotAfter && { notAfter: NotAfter.getTime() }),
    },
  ];
}
