import { describe, expect, test } from 'vitest';
import { cutText, limitFindings, limitResult } from '../../../lib/http/findings.ts';

const finding = (severity: 'error' | 'warning', message: string) => ({ severity, message });
const many = (count: number, severity: 'error' | 'warning') =>
  Array.from({ length: count }, (_, index) => finding(severity, `${severity} ${index}`));

describe('findings', () => {
  test.each([
    ['none', [], 0],
    ['1,000', many(1_000, 'warning'), 0],
    ['1,001', many(1_001, 'error'), 1],
  ])('%s are shown up to 1,000', (_name, findings, more) => {
    expect(limitFindings(findings)).toEqual({ shown: findings.slice(0, 1_000), more });
  });

  test('keep their order, and errors stay where not all can', () => {
    const [warnings, errors] = [many(1_500, 'warning'), many(300, 'error')];
    const { shown, more } = limitFindings([...warnings.slice(0, 900), ...errors, ...warnings.slice(900)]);
    expect(shown).toEqual([...warnings.slice(0, 700), ...errors]);
    expect(more).toBe(800);
  });

  test('that are very long are left out, and others are shown in their place', () => {
    const long = finding('error', 'x'.repeat(1_000_000));
    const short = many(3, 'error');
    expect(limitFindings([long, ...short, long])).toEqual({ shown: short, more: 2 });
  });

  test('take a million characters together at most', () => {
    const { shown, more } = limitFindings(Array.from({ length: 900 }, () => finding('error', '"'.repeat(1_000))));
    expect(shown.length + more).toBe(900);
    expect(JSON.stringify(shown).length).toBeLessThanOrEqual(1_001_000);
    expect(more).toBeGreaterThan(0);
  });

  test('are counted beside the list of a result, where some are left out', () => {
    const few = { etag: 'e', warnings: many(2, 'warning') };
    expect(limitResult(few, 'warnings')).toBe(few);
    const { warnings, ...rest } = limitResult({ etag: 'e', warnings: many(1_002, 'warning') }, 'warnings');
    expect(rest).toEqual({ etag: 'e', moreFindings: 2 });
    expect(warnings).toHaveLength(1_000);
  });
});

test.each([
  ['x'.repeat(4_096), 'x'.repeat(4_096)],
  ['x'.repeat(4_097), `${'x'.repeat(4_096)}…`],
  [`${'x'.repeat(4_095)}😀`, `${'x'.repeat(4_095)}\ufffd…`],
])('a text of more than 4,096 characters is cut, and stays text', (text, shown) => {
  expect(cutText(text)).toBe(shown);
});
