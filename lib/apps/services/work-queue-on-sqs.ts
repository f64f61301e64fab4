import { SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { WorkQueue } from '../ports.ts';
import { callAws } from '../runtime/aws-error.ts';

export interface QueueOptions {
  /** Of a FIFO queue. */
  readonly queueUrl: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<SQSClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** Work as messages of SQS, each app a group of its own: one message of an app at a time, in their order. */
export function createSqsWorkQueue({ queueUrl: QueueUrl, client: settings, attemptMs }: QueueOptions): WorkQueue {
  const client = new SQSClient({
    ...settings,
    // A message that was sent and whose answer was lost is sent again with the same id, and is one.
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  return {
    async send(message, MessageDeduplicationId) {
      const command = new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: message.app,
        MessageDeduplicationId,
      });
      await callAws({ service: 'SQS' }, () => client.send(command));
    },
  };
}
