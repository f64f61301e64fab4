import { onUse } from '../../aws/on-use.ts';
import type { Certificates } from '../ports.ts';
import type { CertificateOptions } from './certificates-on-acm.ts';

/** Certificates of ACM, whose client is loaded on use. */
export function createCertificates(options: CertificateOptions): Certificates {
  const acm = onUse(async () => (await import('./certificates-on-acm.ts')).createAcmCertificates(options));
  return { list: async () => (await acm()).list() };
}
