import { afterEach, describe, expect, test } from 'vitest';
import { RuntimeError, type RuntimeErrorCode } from '../../../../lib/apps/runtime/runtime.ts';
import { toAppError } from '../../../../lib/apps/services/app-error.ts';
import { createAppMetrics } from '../../../../lib/apps/services/app-metrics.ts';
import { createCertificates } from '../../../../lib/apps/services/certificates.ts';
import { createWorkQueue } from '../../../../lib/apps/services/work-queue.ts';
import { type AwsStub, startAwsStub } from '../../../support/aws-stub.ts';

let stub: AwsStub | undefined;

afterEach(() => stub?.close());

describe('metrics', () => {
  const read = (client: object) =>
    createAppMetrics({ stage: 'test', client }).read('shop', {
      metric: 'duration_p95',
      from: 605_000,
      to: 900_000,
      stepMs: 300_000,
    });

  test('one metric of the function is asked for, in whole steps, and all pages are read', async () => {
    stub = await startAwsStub((call) => ({
      body: {
        MetricDataResults: [
          { Id: 'points', StatusCode: 'PartialData', Timestamps: [call === 1 ? 900 : 600], Values: [call] },
        ],
        ...(call === 1 && { NextToken: 'n' }),
      },
    }));
    expect(await read(stub.client)).toEqual([
      { at: 600_000, value: 2 },
      { at: 900_000, value: 1 },
    ]);
    const Metric = {
      Namespace: 'AWS/Lambda',
      MetricName: 'Duration',
      Dimensions: [{ Name: 'FunctionName', Value: 'roundhouse_test_shop' }],
    };
    expect(stub.calls[0]).toMatchObject({
      StartTime: 600,
      EndTime: 900,
      MetricDataQueries: [{ MetricStat: { Metric, Period: 300, Stat: 'p95' } }],
    });
    expect(stub.calls[1]).toMatchObject({ NextToken: 'n' });
  });

  test('a list of pages without an end is left after the fifth', async () => {
    stub = await startAwsStub(() => ({ body: { MetricDataResults: [], NextToken: 'n' } }));
    expect(await read(stub.client)).toEqual([]);
    expect(stub.calls).toHaveLength(5);
  });

  test.each([
    ['InternalError', 'UNAVAILABLE'],
    ['Forbidden', 'BAD_GATEWAY'],
  ])('a metric that ends with %s is %s', async (StatusCode, code) => {
    stub = await startAwsStub(() => ({ body: { MetricDataResults: [{ Id: 'points', StatusCode }] } }));
    await expect(read(stub.client)).rejects.toMatchObject({ name: 'AppError', code });
  });
});

test('all certificates are listed with one call a page and every type of key; one without a name is none', async () => {
  const summary = { CertificateArn: 'arn:1', DomainName: 'a.example', NotBefore: 1, NotAfter: 2, Type: 'IMPORTED' };
  stub = await startAwsStub((call) => ({
    body:
      call === 1
        ? { CertificateSummaryList: [summary], NextToken: 'n' }
        : { CertificateSummaryList: [{ CertificateArn: 'arn:2' }] },
  }));
  const facts = await createCertificates({ client: stub.client }).list();
  expect(facts).toEqual([{ arn: 'arn:1', domain: 'a.example', sans: [], notBefore: 1_000, notAfter: 2_000 }]);
  const types = ['RSA_1024', 'RSA_2048', 'RSA_3072', 'RSA_4096', 'EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1'];
  expect(stub.calls[0].Includes.keyTypes).toEqual(expect.arrayContaining(types));
  expect(stub.calls.map(({ NextToken }) => NextToken)).toEqual([undefined, 'n']);
  expect(stub.calls[0]).not.toHaveProperty('CertificateStatuses');
});

test('a message whose answer was lost is sent again with the same id', async () => {
  const MD5OfMessageBody = 'a85aee29e1a5d5e9cf0e2bde0cbd3dbe';
  stub = await startAwsStub((call) =>
    call === 1
      ? { status: 500, body: { __type: 'InternalError' } }
      : { status: 400, body: { __type: 'QueueDoesNotExist', message: MD5OfMessageBody } },
  );
  const queueUrl = `${stub.client.endpoint}/1/work.fifo`;
  const sending = createWorkQueue({ queueUrl, client: stub.client }).send({ app: 'shop', reason: 'stop' }, 'id-1');
  await expect(sending).rejects.toMatchObject({ name: 'RuntimeError', code: 'invalid' });
  const call = {
    QueueUrl: queueUrl,
    MessageBody: '{"app":"shop","reason":"stop"}',
    MessageGroupId: 'shop',
    MessageDeduplicationId: 'id-1',
  };
  expect(stub.calls).toEqual([call, call]);
});

test.each([
  ['throttled', 503],
  ['unavailable', 503],
  ['conflict', 503],
  ['permission_denied', 502],
  ['invalid', 502],
  ['not_found', 502],
] as const)('a call of AWS that is %s is %d for a caller of the API', (code: RuntimeErrorCode, status) => {
  const cause = new RuntimeError(code, 'why');
  const error = toAppError(cause);
  expect(error).toMatchObject({ status, message: 'why', cause });
  expect(error.details.headers?.['retry-after']).toBe(status === 503 ? '1' : undefined);
});
