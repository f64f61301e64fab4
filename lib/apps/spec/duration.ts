const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const GO = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;

/** Nanoseconds as a whole number, or Go's text (`2s`, `1m30s`), in milliseconds; undefined for anything else. */
export function parseDurationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value / 1e6 : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  if (value === '0') return 0;
  if (!GO.test(value)) return undefined;
  const parts = value.matchAll(/([\d.]+)([a-z\u00b5\u03bc]+)/g);
  return [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * (UNIT_MS[unit ?? ''] ?? Number.NaN), 0);
}
