import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/engine/json.ts';
import { array, codes, compilePlan, integer, object, openMap, spec, string } from '../support/plan.ts';
import { GROUP, reviewWith, widget } from '../support/review.ts';

/** What bounds time and memory of hostile configs and objects; each ends in a Failure that says which bound it met. */

const split = (pattern: string, joinTemplate = '{{.a}}') => ({
  hub: spec({ text: string }),
  spoke: spec({ a: string }),
  rules: [
    {
      strategy: 'ScalarToFields',
      scalarToFields: {
        hubPath: 'spec.text',
        pattern,
        spokeFields: { a: 'spec.a' },
        joinTemplate,
        losslessOverride: true,
      },
    },
  ],
});

async function failure(
  input: Parameters<typeof compilePlan>[0],
  object: JsonObject,
  to: 'hub' | 'spoke',
): Promise<string> {
  const { router } = await compilePlan(input);
  const { status, message } = reviewWith(router, [object], to);
  expect(status).toBe('Failure');
  return message;
}

describe('bounds', () => {
  test('a regex that backtracks exponentially elsewhere is linear here', async () => {
    const object = widget('hub', { spec: { text: `${'a'.repeat(8000)}!` } });
    expect(await failure(split('^(?P<a>(a+)+)$'), object, 'spoke')).toContain('does not match');
  });

  test('a pattern is not run on 2 MB of text', async () => {
    const object = widget('hub', { spec: { text: 'a'.repeat(2_000_000) } });
    const message = await failure(split('^(?P<a>a+)$'), object, 'spoke');
    expect(message).toMatch(/8192|8 KiB/);
    expect(message.length).toBeLessThan(1_000);
  });

  test('nesting 1,000 deep is refused', () => {
    const nested = `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`;
    const text = `{"apiVersion":"${GROUP}/hub","kind":"Widget","metadata":{"name":"w"},"spec":{"m":${nested}}}`;
    return compilePlan({ hub: spec({ m: openMap }), spoke: spec({ m: openMap }), rules: [] }).then(({ router }) => {
      expect(() => reviewWith(router, [text], 'spoke')).toThrow('nested more than 500 deep');
    });
  });

  test('a template that loops for ever ends', async () => {
    const input = split('^(?P<a>.*)$', '{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}');
    const message = await failure(input, widget('spoke', { spec: { a: 'x' } }), 'hub');
    expect(message).toContain('rule 0 ScalarToFields at spec.a');
  });

  test('a template that doubles its text ends', async () => {
    const loop = '{{range $i, $a := .a}}{{range $j, $b := $.a}}{{range $k, $c := $.a}}{{$c}}{{end}}{{end}}{{end}}';
    const input = {
      hub: spec({ text: string }),
      spoke: spec({ a: string }),
      rules: split('^(?P<a>.*)$', loop).rules,
    };
    const message = await failure(input, widget('spoke', { spec: { a: Array(2_000).fill('x') } }), 'hub');
    expect(message).toContain('rule 0 ScalarToFields');
  });

  test('a CEL comprehension over a million items ends', async () => {
    const input = {
      hub: spec({ list: array(integer), n: integer }),
      spoke: spec({ n: integer }),
      rules: [
        {
          strategy: 'CEL',
          acknowledgeLossy: true,
          cel: {
            hubPaths: ['spec.n', 'spec.list'],
            spokePaths: ['spec.n'],
            hubToSpoke: '{"spec.n": size(object.spec.list.filter(x, object.spec.list.exists(y, y == x + 1)))}',
            spokeToHub: '{}',
          },
        },
      ],
    };
    const list = Array.from({ length: 1_000_000 }, (_, index) => index);
    const message = await failure(input, widget('hub', { spec: { list, n: 1 } }), 'spoke');
    expect(message).toContain('rule 0 CEL at spec.n');
    expect(message).toMatch(/cost|limit|budget|steps/i);
  });

  test('patterns, templates and expressions that are too large are findings, not crashes', async () => {
    const { errors } = await codes(split(`(?P<a>${'a?'.repeat(5_000)})`, '{{if true}}'.repeat(2_000)));
    expect(errors.sort()).toEqual(['PATTERN_INVALID', 'TEMPLATE_INVALID']);
    const deep = (depth: number): JsonObject => (depth === 0 ? string : object({ a: deep(depth - 1) }));
    expect(await codes({ hub: spec({ m: deep(400) }), spoke: spec({ m: deep(400) }), rules: [] })).toEqual({
      errors: [],
      warnings: [],
    });
  });
});
