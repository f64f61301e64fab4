import { describe, expect, test } from 'vitest';
import { placeOf, renderFindings } from '../../lib/cli/output/findings.ts';
import { renderGithub } from '../../lib/cli/output/github.ts';
import { sarifLog } from '../../lib/cli/output/sarif.ts';
import type { Finding } from '../../lib/configs/inspect.ts';

function finding(more: Partial<Finding['diagnostic']> = {}, of: Finding['of'] = 'config'): Finding {
  const diagnostic = { code: 'CODE', severity: 'error', message: 'wrong', hint: 'mend it', path: '', ...more } as const;
  return { of, diagnostic };
}

const texts = (text: string, name = 'a.yaml') => ({ config: { name, text } });
const io = { colour: false } as Parameters<typeof renderFindings>[2];

describe('a workflow command of GitHub', () => {
  test.each([
    ['a percent sign', '100%', '::error file=a.yaml,title=CODE::100%25%0Amend it\n'],
    ['line ends', 'a\r\nb', '::error file=a.yaml,title=CODE::a%0D%0Ab%0Amend it\n'],
    [
      'colons and commas, which only properties escape',
      'a: b, c',
      '::error file=a.yaml,title=CODE::a: b, c%0Amend it\n',
    ],
    ['what looks like a command', '\n::set-env', '::error file=a.yaml,title=CODE::%0A::set-env%0Amend it\n'],
  ])('escapes %s', (_what, message, expected) => {
    expect(renderGithub([finding({ message })], texts(''))).toBe(expected);
  });

  test('escapes names of files, and has the place and the spoke', () => {
    const found = finding({ severity: 'warning', line: 2, path: 'spec.x', spoke: 'v1' });
    const shown = renderGithub([found], texts('a: 1\n  x: 2\n', 'a,b:c%\n.yaml'));
    expect(shown).toBe('::warning file=a%2Cb%3Ac%25%0A.yaml,line=2,col=3,title=CODE [v1]::wrong%0Amend it\n');
  });
});

describe('a SARIF log', () => {
  const log = sarifLog([
    { findings: [finding({ code: 'B', line: 1 }), finding({ code: 'A', severity: 'warning' })], texts: texts('x: 1') },
    { findings: [finding({ code: 'B' }, 'schema')], texts: {} },
  ]);
  const [run] = log.runs;

  test('names its version and schema, and each rule once', () => {
    expect(log.version).toBe('2.1.0');
    expect(log.$schema).toMatch(/^https:.*sarif-2\.1\.0\.json$/);
    expect(run?.tool.driver.name).toBe('convctl');
    expect(run?.tool.driver.rules).toEqual([{ id: 'A' }, { id: 'B' }]);
  });

  test('points each result at its rule, and at a line where one is known', () => {
    expect(run?.results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level])).toEqual([
      ['B', 1, 'error'],
      ['A', 0, 'warning'],
      ['B', 1, 'error'],
    ]);
    const artifactLocation = { uri: 'a.yaml' };
    expect(run?.results.map(({ locations }) => locations)).toEqual([
      [{ physicalLocation: { artifactLocation, region: { startLine: 1, startColumn: 1 } } }],
      [{ physicalLocation: { artifactLocation } }],
      [],
    ]);
  });

  test.each([
    ['deploy/a b.yaml', 'deploy/a%20b.yaml'],
    ['a#?.yaml', 'a%23%3F.yaml'],
    ['/abs/ä.yaml', 'file:///abs/%C3%A4.yaml'],
  ])('has %s as a URI', (name, uri) => {
    const { runs } = sarifLog([{ findings: [finding()], texts: texts('', name) }]);
    expect(runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(uri);
  });
});

describe('the place of a finding', () => {
  const rules = [
    'rules:',
    '  - strategy: FieldRename',
    '    fieldRename:',
    '      hubPath: spec.a',
    '  - hubPath: spec.b',
  ];

  test.each([
    ['the field in the rule', { line: 2, rule: 0, path: 'spec.a' }, [4, 16]],
    ['the rule, for a field that only a later rule names', { line: 2, rule: 0, path: 'spec.b' }, [2, 3]],
    ['the key on the line', { line: 3, path: 'rules.fieldRename' }, [3, 5]],
    ['the text of the line, for a key that it has not', { line: 4, path: 'spec.none' }, [4, 7]],
    ['the start, for a line that the text has not', { line: 9, path: 'x' }, [9, 1]],
  ])('is %s', (_what, more, [line, column]) => {
    expect(placeOf(finding(more), texts(rules.join('\n')))).toMatchObject({ line, column });
    expect(placeOf(finding(more), texts(rules.join('\r\n')))).toMatchObject({ line, column });
  });

  test('is none without a line or a text', () => {
    expect(placeOf(finding(), texts('a: 1'))).toBeUndefined();
    expect(placeOf(finding({ line: 1 }), {})).toBeUndefined();
  });

  test('has its caret under the word, also behind tabs and on a terminal with colours', () => {
    const found = finding({ line: 1, path: 'name' });
    expect(renderFindings([found], texts('\tname: x'), io)).toBe(
      'a.yaml:1:2: error CODE: wrong\n     name: x\n     ^\n    mend it\n',
    );
    const esc = String.fromCharCode(27);
    expect(renderFindings([found], texts('name: x'), { ...io, colour: true })).toContain(`${esc}[31merror CODE${esc}`);
  });

  test('is the path where there is no line', () => {
    expect(renderFindings([finding({ path: 'spec.x' })], {}, io)).toBe(
      'config: error CODE: wrong (spec.x)\n    mend it\n',
    );
  });
});
