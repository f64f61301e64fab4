import { onUse } from '../../aws/on-use.ts';
import type { WorkQueue } from '../ports.ts';
import type { QueueOptions } from './work-queue-on-sqs.ts';

/** Work as messages of SQS, whose client is loaded on use. */
export function createWorkQueue(options: QueueOptions): WorkQueue {
  const sqs = onUse(async () => (await import('./work-queue-on-sqs.ts')).createSqsWorkQueue(options));
  return { send: async (message, dedupeId) => (await sqs()).send(message, dedupeId) };
}
