import {
  CloudWatchLogsClient,
  type CloudWatchLogsClientConfig,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
  PutRetentionPolicyCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { LogGroups } from '../ports.ts';
import { callAws, unlessGone } from './aws-error.ts';
import { appTags, logGroupName } from './names.ts';

export interface LogGroupOptions {
  readonly stage: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<CloudWatchLogsClientConfig, 'region' | 'endpoint' | 'credentials'>;
  /** One of those that CloudWatch Logs has: 1, 3, 5, 7, 14, 30, 60, 90, … */
  readonly retentionDays: number;
  readonly attemptMs?: number;
}

/** Every call may be repeated, so the SDK tries three times. */
export function createCloudWatchLogGroups({
  stage,
  client: settings,
  retentionDays,
  attemptMs,
}: LogGroupOptions): LogGroups {
  const client = new CloudWatchLogsClient({
    ...settings,
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  const call = <T>(send: () => Promise<T>) => callAws({ service: 'CloudWatch Logs' }, send);
  const nameOf = (app: string) => logGroupName(stage, app);
  return {
    nameOf,
    async ensure(app) {
      const logGroupName = nameOf(app);
      const create = new CreateLogGroupCommand({ logGroupName, tags: appTags(stage, app) });
      await call(() => client.send(create).catch(unlessThere));
      // Always: between the two calls somebody may have ended, and without a retention logs cost money for ever.
      await call(() => client.send(new PutRetentionPolicyCommand({ logGroupName, retentionInDays: retentionDays })));
    },
    async remove(app) {
      await unlessGone(call(() => client.send(new DeleteLogGroupCommand({ logGroupName: nameOf(app) }))));
    },
  };
}

function unlessThere(error: unknown): void {
  if ((error as { name?: string }).name !== 'ResourceAlreadyExistsException') throw error;
}
