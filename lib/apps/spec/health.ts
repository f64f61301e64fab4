import type { JsonObject } from '../../engine/json.ts';
import type { Readiness } from '../model.ts';
import { parseDurationMs } from './duration.ts';
import { type Fields, readFields } from './fields.ts';
import type { Findings } from './problems.ts';
import { warnUnused } from './unused.ts';

/** Of the reference, in milliseconds. */
const DEFAULTS = { intervalMs: 2_000, timeoutMs: 2_000, budgetMs: 60_000, failures: 3 };

/** One try must fit into the time that a worker's message has (60 s); the budget can span messages. */
const RANGES = {
  interval: { from: 100, to: 60_000, text: '100ms to 1m' },
  timeout: { from: 100, to: 30_000, text: '100ms to 30s' },
  ready_timeout: { from: 1_000, to: 600_000, text: '1s to 10m' },
};

const KEYS = ['readiness', 'liveness', 'ready_timeout'];
const PROBE_KEYS = ['path', 'interval', 'timeout', 'failures'];

/** `health` of an app; undefined without a readiness probe. */
export function parseHealth(health: JsonObject, findings: Findings): Readiness | undefined {
  warnUnused(health, ['health'], KEYS, findings);
  const fields = readFields(health, ['health'], findings);
  const budgetMs = readDuration(fields, ['health'], 'ready_timeout', findings) ?? DEFAULTS.budgetMs;
  const liveness = fields.object('liveness');
  if (liveness !== undefined) checkLiveness(liveness, findings);
  const readiness = fields.object('readiness');
  if (readiness !== undefined) return parseReadiness(readiness, budgetMs, findings);
  if (fields.value('ready_timeout')) {
    findings.warn('health.ready_timeout does nothing without health.readiness: there is no path to ask.');
  }
  return undefined;
}

function parseReadiness(readiness: JsonObject, budgetMs: number, findings: Findings): Readiness {
  const path = ['health', 'readiness'];
  warnUnused(readiness, path, PROBE_KEYS, findings);
  const fields = readFields(readiness, path, findings);
  const failures = fields.whole('failures', { from: 0, to: 1_000 }) || DEFAULTS.failures;
  if (failures !== DEFAULTS.failures) {
    findings.warn('health.readiness.failures does nothing: tries go on until one succeeds or ready_timeout is over.');
  }
  return {
    path: readPath(fields, path, findings),
    intervalMs: readDuration(fields, path, 'interval', findings) ?? DEFAULTS.intervalMs,
    timeoutMs: readDuration(fields, path, 'timeout', findings) ?? DEFAULTS.timeoutMs,
    budgetMs,
  };
}

/** Checked as the peer does, although nothing asks it: Lambda replaces instances that fail by itself. */
function checkLiveness(liveness: JsonObject, findings: Findings): void {
  const path = ['health', 'liveness'];
  warnUnused(liveness, path, PROBE_KEYS, findings);
  const fields = readFields(liveness, path, findings);
  fields.whole('failures', { from: 0, to: 1_000 });
  readPath(fields, path, findings);
  for (const key of ['interval', 'timeout'] as const) readDuration(fields, path, key, findings);
  findings.warn(
    'health.liveness does nothing here: Lambda ends an instance that crashes and starts another by itself.',
  );
}

function readPath(fields: Fields, path: readonly string[], { wrong }: Findings): string {
  const text = fields.text('path', 1_024);
  if (text === undefined) {
    if (fields.value('path') === undefined)
      wrong([...path, 'path'], 'is missing: it is the path to GET, such as /health');
    return '/';
  }
  // `//host` and `/\\host` are addresses of other hosts to a URL parser.
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || /[#\\]/.test(text)) {
    wrong([...path, 'path'], 'must begin with / and have no spaces, no # and only ASCII characters');
  }
  return text;
}

/** Undefined for none, and for 0, which means the default. */
function readDuration(
  fields: Fields,
  path: readonly string[],
  key: keyof typeof RANGES,
  { wrong }: Findings,
): number | undefined {
  const value = fields.value(key);
  if (value === undefined) return undefined;
  const ms = parseDurationMs(value);
  if (ms === 0) return undefined;
  const { from, to, text } = RANGES[key];
  if (ms !== undefined && ms >= from && ms <= to) return Math.round(ms);
  wrong([...path, key], `must be from ${text}, as nanoseconds or as a text such as "2s"`);
  return undefined;
}
