import { Logger } from '@aws-lambda-powertools/logger';
import { AppError } from '../errors.ts';

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
 * can quote the object that was being handled (R19). Only an `AppError` of 5xx is told with its `reason`: we wrote it to
 * say what is wrong with the table or the platform, where one of 4xx quotes the caller.
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
  const reason = reasonsOf(error).join(': ');
  return {
    error_name: error.name,
    ...code,
    ...(reason !== '' && { reason }),
    error_stack: frames.map((line) => line.trim()).slice(0, 20),
  };
}

/** The error's reason and those below it, from the outside in. */
function reasonsOf(error: unknown): string[] {
  return error instanceof AppError && error.status >= 500 ? [error.message, ...reasonsOf(error.cause)] : [];
}

const DNS_NAME = /^[a-z0-9.-]{1,253}$/;

/**
 * A path as logs may hold it. Of a conversion URL the token is left out, and a misspelled one could hold it anywhere, so
 * what is neither such a URL nor a path of the API is not shown at all.
 *
 * @param plain other paths that hold no token
 */
export function redactPath(path: string, ...plain: readonly string[]): string {
  if (path.startsWith('/api/') || plain.includes(path) || /^\/[a-z.]*$/.test(path)) return path;
  const [, root, endpoint = '', token, target = '', ...rest] = path.split('/');
  if (root !== 'convert' || token === undefined || rest.length > 0) return '/***';
  const show = (name: string) => (DNS_NAME.test(name) ? name : '***');
  return `/convert/${show(endpoint)}/***/${show(target)}`;
}
