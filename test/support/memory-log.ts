import type { Log, LogFields } from '../../lib/telemetry/log.ts';

interface MemoryLog extends Log {
  readonly lines: { level: 'info' | 'warn' | 'error'; message: string; fields: LogFields }[];
}

/** A log that keeps its lines, for tests. */
export function createMemoryLog(): MemoryLog {
  const lines: MemoryLog['lines'] = [];
  return {
    lines,
    info: (message, fields) => lines.push({ level: 'info', message, fields }),
    warn: (message, fields) => lines.push({ level: 'warn', message, fields }),
    error: (message, fields) => lines.push({ level: 'error', message, fields }),
  };
}
