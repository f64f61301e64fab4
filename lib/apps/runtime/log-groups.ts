import { onUse } from '../../aws/on-use.ts';
import type { LogGroups } from '../ports.ts';
import type { LogGroupOptions } from './log-groups-on-cloudwatch.ts';
import { logGroupName } from './names.ts';

/** Log groups in CloudWatch Logs, whose client is loaded on use. */
export function createLogGroups(options: LogGroupOptions): LogGroups {
  const logs = onUse(async () => (await import('./log-groups-on-cloudwatch.ts')).createCloudWatchLogGroups(options));
  return {
    nameOf: (app) => logGroupName(options.stage, app),
    ensure: async (app) => (await logs()).ensure(app),
    remove: async (app) => (await logs()).remove(app),
  };
}
