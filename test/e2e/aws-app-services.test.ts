import { ACMClient, RequestCertificateCommand } from '@aws-sdk/client-acm';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkQueue } from '../../lib/apps/services/work-queue.ts';
import { describeServices, type ServicesBench } from '../contract/services-suite.ts';
import { startMoto } from './support/moto.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';
import { MOTO } from './tools/tools.ts';

const runs = canRun('aws', [MOTO]);
const CREDENTIALS = { accessKeyId: 'e2e', secretAccessKey: 'e2e' };

describe.runIf(runs)('on an emulator that is not the one of the other tests', () => {
  let workbench: Workbench;
  let client: ServicesBench['client'];

  beforeAll(async () => {
    workbench = openWorkbench();
    const { url: endpoint } = await startMoto(workbench);
    client = { endpoint, region: 'us-east-1', credentials: CREDENTIALS };
  });

  afterAll(() => workbench.close());

  describeServices(
    'the other services on moto',
    async () => ({
      client,
      bucket: await makeBucket(client),
      writeLogs: (group, stream, lines) => writeLogs(client, group, stream, lines),
      addCertificate: (domain, more) => addCertificate(client, domain, more),
    }),
    {
      'several terms of a pattern': 'takes all of them, quotes and all, for one',
      'further names in the list of certificates': 'lists them under another name than AWS',
    },
  );

  test('work goes through a FIFO queue: each app a group, the same id once, in order', async () => {
    const sqs = new SQSClient(client);
    const create = { QueueName: `work-${process.pid}.fifo`, Attributes: { FifoQueue: 'true' } };
    const { QueueUrl: queueUrl = '' } = await sqs.send(new CreateQueueCommand(create));
    const queue = createWorkQueue({ queueUrl, client });
    await queue.send({ app: 'shop', reason: 'deploy' }, 'shop-1');
    await queue.send({ app: 'shop', reason: 'deploy' }, 'shop-1');
    await queue.send({ app: 'shop', reason: 'stop' }, 'shop-2');
    await queue.send({ app: 'blog', reason: 'deploy', lost: true }, 'blog-1');
    const receive = { QueueUrl: queueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive));
    expect(Messages.map(({ Body, Attributes }) => [Attributes?.MessageGroupId, JSON.parse(Body ?? '')])).toEqual([
      ['shop', { app: 'shop', reason: 'deploy' }],
      ['shop', { app: 'shop', reason: 'stop' }],
      ['blog', { app: 'blog', reason: 'deploy', lost: true }],
    ]);
    sqs.destroy();
  });
});

async function makeBucket(client: ServicesBench['client']): Promise<string> {
  const s3 = new S3Client({ ...client, forcePathStyle: true });
  const Bucket = `artifacts-${process.pid}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  s3.destroy();
  return Bucket;
}

async function writeLogs(
  client: ServicesBench['client'],
  logGroupName: string,
  logStreamName: string,
  lines: readonly { at: number; message: string }[],
): Promise<void> {
  const logs = new CloudWatchLogsClient(client);
  const ifNew = (error: Error) => {
    if (error.name !== 'ResourceAlreadyExistsException') throw error;
  };
  await logs.send(new CreateLogGroupCommand({ logGroupName })).catch(ifNew);
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
  const logEvents = lines.map(({ at, message }) => ({ timestamp: at, message }));
  await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }));
  logs.destroy();
}

async function addCertificate(client: ServicesBench['client'], DomainName: string, more: string): Promise<void> {
  const acm = new ACMClient(client);
  const names = { DomainName, SubjectAlternativeNames: [more] };
  await acm.send(new RequestCertificateCommand({ ...names, KeyAlgorithm: 'EC_prime256v1', ValidationMethod: 'DNS' }));
  acm.destroy();
}
