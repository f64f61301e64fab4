import { describe, expect, test } from 'vitest';
import { defineCommand } from '../../lib/cli/command.ts';
import { EXIT } from '../../lib/cli/exit-code.ts';
import type { Io } from '../../lib/cli/io.ts';
import { renderFindings } from '../../lib/cli/output/findings.ts';
import { printListing } from '../../lib/cli/output/listing.ts';
import { printable, printableLines } from '../../lib/cli/output/printable.ts';
import { paint } from '../../lib/cli/output/style.ts';
import { renderTable } from '../../lib/cli/output/table.ts';
import { runProgram } from '../../lib/cli/program.ts';
import { AppError } from '../../lib/errors.ts';
import { PROGRAMS } from './support/commands.ts';

const HOSTILE = {
  'clears the screen': '\u001b[2J',
  'sets the title': '\u001b]0;pwned\u0007',
  'writes over the line': 'all is well\r',
  'begins a line': '\n::add-mask::x',
  'is a control character beyond ASCII': '\u009b2J',
  deletes: '\u007f\u0008',
  'turns the direction': 'a\u202eb\u2066',
  'is a line for some': '\u2028\u2029',
};
const OBEYED = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|^[^\S\n]*::/mu;
const io = { colour: false, terminal: {} } as unknown as Io;

describe('text of others', () => {
  test.each(Object.entries(HOSTILE))('that %s is shown, one character for one', (_what, text) => {
    expect(text).toMatch(OBEYED);
    expect(printable(text)).not.toMatch(OBEYED);
    expect(printable(text)).not.toContain('\n');
    expect(printable(text)).toHaveLength(text.length);
    expect(printableLines(text)).not.toMatch(OBEYED);
  });

  test.each(['plain', 'a\tb', 'ä 日本 🎉', 'key: value::x', ''])('%j stays as it is', (text) => {
    expect(printable(text)).toBe(text);
  });

  test('keeps its lines where several are meant', () => {
    expect(printableLines('a\n  b\u0007\n\n ::error::x')).toBe('a\n  b␇\n\n ∶:error::x');
  });
});

describe.each(Object.entries(HOSTILE))('what %s cannot do so', (_what, hostile) => {
  test('in a table', () => {
    const table = renderTable([
      ['NAME', 'ERROR'],
      [hostile, 'x'],
      ['', hostile],
    ]);
    expect(table).not.toMatch(OBEYED);
    expect(table.split('\n')).toHaveLength(4);
  });

  test('in a list of names', async () => {
    let shown = '';
    const out = (text: string) => {
      shown += text;
    };
    await printListing({ ...io, out }, 'name', [hostile], { none: '', name: (item) => item, columns: [] });
    expect(shown).not.toMatch(OBEYED);
  });

  test('in a finding, in none of its parts', () => {
    const diagnostic = { code: 'CODE', severity: 'error', message: hostile, hint: hostile, path: hostile } as const;
    const texts = { config: { name: hostile, text: `  ${hostile.replaceAll('\n', '')}` } };
    const shown = [
      renderFindings([{ of: 'config', diagnostic: { ...diagnostic, spoke: hostile } }], texts, io),
      renderFindings([{ of: 'config', diagnostic: { ...diagnostic, line: 1 } }], texts, io),
    ];
    for (const text of shown) expect(text).not.toMatch(OBEYED);
    expect(shown.map((text) => text.split('\n').length)).toEqual([3, 5]);
  });

  test.each([['colours'], ['none']])('in painted text, with %s', (how) => {
    const text = paint({ ...io, colour: how === 'colours' }, 'red', hostile);
    expect(text.replaceAll(/\p{Cc}\[(31|39)m/gu, '')).not.toMatch(OBEYED);
  });

  test.each([
    ['an error', new AppError('BAD_REQUEST', `the server says: ${hostile}`)],
    ['a fault', new TypeError(hostile)],
  ])('in %s', async (_kind, error) => {
    let said = '';
    const err = (text: string) => {
      said += text;
    };
    const run = () => Promise.reject(error);
    const probe = defineCommand({ name: 'probe', group: 'Other', summary: 'x', flags: {}, examples: [], run });
    expect(await runProgram(['probe'], { program: PROGRAMS.convctl, commands: [probe], io: { ...io, err } })).toBe(
      EXIT.failure,
    );
    expect(said).toMatch(/^error: /);
    expect(said).not.toMatch(OBEYED);
  });
});

test('a table has the colours of its own cells, and no others', () => {
  const green = paint({ colour: true } as Io, 'green', 'lossless');
  const table = renderTable([
    ['SPOKE', 'HUB→SPOKE', 'X'],
    ['v1', green, 'x'],
    ['\u001b[8mhidden', `\u001b[32m\u001b[2J\u001b[39m`, 'x'],
  ]);
  expect(table).toContain(`v1          ${green}        x`);
  expect(table).toContain('␛[8mhidden  ␛[32m␛[2J␛[39m  x');
});
