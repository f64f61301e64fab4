import type { WorkMessage } from '../ports.ts';
import type { WorkLog } from './types.ts';
import type { Worker } from './worker.ts';

/** The parts of an SQS event that we read. */
export interface QueueEvent {
  readonly Records: readonly { readonly body: string; readonly eventSourceARN?: string; readonly messageId?: string }[];
}

interface WorkHandlerOptions {
  readonly worker: Worker;
  readonly log: WorkLog;
  /** Name of the queue of work; a message that comes from another one was given up there. */
  readonly queueName: string;
}

/** Gives every message to the worker. Rejects when one could not be handled, so that the queue gives it out again. */
export function createWorkHandler({ worker, log, queueName }: WorkHandlerOptions) {
  return async (event: QueueEvent, context: { getRemainingTimeInMillis(): number }): Promise<void> => {
    for (const { body, eventSourceARN, messageId } of event.Records) {
      const message = readMessage(body);
      if (message === undefined) {
        log.error('message of another form', { message_id: messageId });
        continue;
      }
      const { app, reason, attempt } = message;
      const lost = message.lost === true || (eventSourceARN !== undefined && !eventSourceARN.endsWith(`:${queueName}`));
      const remainingMs = context.getRemainingTimeInMillis();
      const outcome = lost ? await worker.lose(app, remainingMs, attempt) : await worker.work(app, remainingMs);
      log.info('looked at app', { app, reason, lost, outcome });
    }
  };
}

/** Nothing of it is trusted but the name, which is only looked up. */
function readMessage(body: string): WorkMessage | undefined {
  try {
    const { app, reason, lost, attempt } = JSON.parse(body) as Record<string, unknown>;
    if (typeof app !== 'string') return undefined;
    return {
      app,
      reason: typeof reason === 'string' ? reason : 'unknown',
      ...(typeof attempt === 'string' && { attempt }),
      ...(lost === true && { lost }),
    };
  } catch {
    return undefined;
  }
}
