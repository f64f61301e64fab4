import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../lib/engine/json.ts';
import { parseTemplate, TemplateError } from '../../../../../lib/engine/values/template/template.ts';

/**
 * Recorded from text/template of Go 1.26 with the option missingkey=error. `output` or `error` is what is right here;
 * where Go differs, `peer` is its result and `why` the reason.
 */
interface Case {
  readonly group: string;
  readonly template: string;
  readonly data: Record<string, Json>;
  readonly output?: string;
  readonly error?: string;
  readonly peer?: { readonly output?: string; readonly error?: string };
  readonly why?: string;
}

const cases: Case[] = readFileSync(new URL('./golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

function outcome({ template, data }: Case): { output: string } | { error: string } {
  try {
    return { output: parseTemplate(template).render(new Map(Object.entries(data))) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.kind };
    throw error;
  }
}

const groups = [...new Set(cases.map(({ group }) => group))];

describe.each(groups)('%s', (group) => {
  const same = cases.filter((entry) => entry.group === group && entry.peer === undefined);
  test.each(same)('$template of $data is what Go makes of it', (entry) => {
    const { output, error } = entry;
    expect(outcome(entry)).toEqual(error === undefined ? { output } : { error });
  });

  const different = cases.filter((entry) => entry.group === group && entry.peer !== undefined);
  if (different.length > 0) {
    test.each(different)('$template of $data differs from Go: $why', (entry) => {
      const { output, error, peer } = entry;
      expect(outcome(entry)).toEqual(error === undefined ? { output } : { error });
      expect(outcome(entry)).not.toEqual(peer);
    });
  }
});

test('the table is wide: at least 150 outcomes of Go and 50 of its errors', () => {
  const same = cases.filter(({ peer }) => peer === undefined);
  expect(same.length).toBeGreaterThan(150);
  expect(same.filter(({ error }) => error !== undefined).length).toBeGreaterThan(50);
});
