import { Logger } from '@aws-lambda-powertools/logger';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'SILENT';

/** One JSON line a call. Fields never hold object bodies, secrets or tokens: pass names, counts and sizes. */
export interface Log {
  info(message: string, fields: LogFields): void;
  warn(message: string, fields: LogFields): void;
  error(message: string, fields: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

interface LogOptions {
  readonly service: string;
  readonly stage: string;
  readonly level: LogLevel;
}

export function createLog({ service, stage, level }: LogOptions): Log {
  return new Logger({ serviceName: service, logLevel: level, persistentKeys: { stage } });
}

/**
 * What may be logged of an unexpected throw: its class, its code and where it was thrown. The message stays out, for it
 * can quote the object that was being handled (R19).
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error_name: typeof error };
  const stack = error.stack ?? '';
  const header = stack.indexOf(error.message) + error.message.length;
  const frames = stack
    .slice(header)
    .split('\n')
    .filter((line) => line.startsWith('    at '));
  const code = 'code' in error && typeof error.code === 'string' ? { error_code: error.code } : {};
  return { error_name: error.name, ...code, error_stack: frames.map((line) => line.trim()).slice(0, 20) };
}

const DNS_NAME = /^[a-z0-9.-]{1,253}$/;

/**
 * A path as logs may hold it. Of a conversion URL the token is left out, and a misspelled one could hold it anywhere, so
 * what is neither such a URL nor a path of the API is not shown at all.
 */
export function redactPath(path: string): string {
  if (path.startsWith('/api/') || path === '/convert/self-test' || /^\/[a-z.]*$/.test(path)) return path;
  const [, root, endpoint = '', token, target = '', ...rest] = path.split('/');
  if (root !== 'convert' || token === undefined || rest.length > 0) return '/***';
  const show = (name: string) => (DNS_NAME.test(name) ? name : '***');
  return `/convert/${show(endpoint)}/***/${show(target)}`;
}
