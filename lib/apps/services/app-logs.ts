import { onUse } from '../../aws/on-use.ts';
import type { AppLogs } from '../ports.ts';
import type { LogOptions } from './app-logs-on-cloudwatch.ts';

/** Logs of apps in CloudWatch Logs, whose client is loaded on use. */
export function createAppLogs(options: LogOptions): AppLogs {
  const logs = onUse(async () => (await import('./app-logs-on-cloudwatch.ts')).createCloudWatchAppLogs(options));
  return { read: async (app, query) => (await logs()).read(app, query) };
}
