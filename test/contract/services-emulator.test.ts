import { afterAll } from 'vitest';
import { type AwsEmulatorForTest, BUCKET, startAwsEmulatorForTest } from '../support/aws-emulator.ts';
import { describeServices } from './services-suite.ts';

let emulator: AwsEmulatorForTest | undefined;

afterAll(() => emulator?.close());

describeServices('the other services on the emulator', async () => {
  emulator = await startAwsEmulatorForTest();
  const { client, logs, certificates } = emulator;
  return {
    client,
    bucket: BUCKET,
    writeLogs: async (group, stream, lines) => logs.append(group, stream, lines),
    async addCertificate(domain, more) {
      certificates.push({
        CertificateArn: `arn:aws:acm:us-east-1:000000000000:certificate/${domain}`,
        DomainName: domain,
        SubjectAlternativeNameSummaries: [domain, more],
        KeyAlgorithm: 'EC_prime256v1',
        Type: 'AMAZON_ISSUED',
        NotBefore: new Date(0),
        NotAfter: new Date(1_000_000),
      });
    },
  };
});
