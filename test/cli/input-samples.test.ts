import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readDocuments } from '../../lib/cli/input/samples.ts';
import { type CliSandbox, openCliSandbox } from './support/convctl.ts';

let sandbox: CliSandbox | undefined;
afterEach(() => sandbox?.remove());

async function read(files: Record<string, string>, path: string, stdin = '') {
  sandbox = openCliSandbox(files);
  const io = { cwd: sandbox.folder, readStdin: async () => stdin } as never;
  return (await readDocuments(path, 'samples', io)).map(({ name, object }) => [name, object['kind']]);
}

const kind = (name: string) => `kind: ${name}\n`;

test('a folder gives its YAML and JSON files, and those of the folders in it, in the order of their names', async () => {
  const files = {
    'in/b/z.yaml': kind('C'),
    'in/b/A.YML': kind('B'),
    'in/a.yaml': kind('A'),
    'in/c.json': '{"kind": "D"}',
    'in/.hidden.yaml': kind('No'),
    'in/.git/a.yaml': kind('No'),
    'in/node_modules/a.yaml': kind('No'),
    'in/folder.yaml/e.yaml': kind('E'),
    'in/d.yaml.txt': kind('No'),
    'in/Z.yaml': kind('Z'),
  };
  expect(await read(files, 'in')).toEqual([
    ['in/Z.yaml', 'Z'],
    ['in/a.yaml', 'A'],
    ['in/b/A.YML', 'B'],
    ['in/b/z.yaml', 'C'],
    ['in/c.json', 'D'],
    ['in/folder.yaml/e.yaml', 'E'],
  ]);
});

test('a file that is named is read whatever it is called', async () => {
  expect(await read({ 'a.json': '{"kind": "A"}' }, 'a.json')).toEqual([['a.json', 'A']]);
});

test('documents are counted, empty ones are not, and a List is its items', async () => {
  const text = `---\n${kind('A')}---\n---\nkind: List\nitems:\n- kind: B\n- kind: C\n`;
  expect(await read({ 'all.yaml': text }, 'all.yaml')).toEqual([
    ['all.yaml#1', 'A'],
    ['all.yaml#2', 'B'],
    ['all.yaml#3', 'C'],
  ]);
});

test('- is standard input', async () => {
  expect(await read({}, '-', kind('A'))).toEqual([['stdin', 'A']]);
});

test('a link to a file counts, as in a mounted ConfigMap', async () => {
  sandbox = openCliSandbox({ 'data/a.yaml': kind('A'), 'in/keep.txt': '' });
  symlinkSync(join(sandbox.folder, 'data/a.yaml'), join(sandbox.folder, 'in/a.yaml'));
  const io = { cwd: sandbox.folder } as never;
  expect((await readDocuments('in', 'samples', io)).map(({ name }) => name)).toEqual(['in/a.yaml']);
});

test('a link to a folder that is called like a file is not followed; one to nowhere is an error', async () => {
  sandbox = openCliSandbox({ 'data/a.yaml': kind('A'), 'in/b.yaml': kind('B') });
  symlinkSync(join(sandbox.folder, 'data'), join(sandbox.folder, 'in/folder.yaml'));
  const io = { cwd: sandbox.folder } as never;
  expect((await readDocuments('in', 'samples', io)).map(({ name }) => name)).toEqual(['in/b.yaml']);
  symlinkSync(join(sandbox.folder, 'nowhere'), join(sandbox.folder, 'in/gone.yaml'));
  await expect(readDocuments('in', 'samples', io)).rejects.toThrow(
    'cannot read the samples in/gone.yaml: there is no such file',
  );
});

test.each<[string, number[], string]>([
  [
    'Latin-1',
    [0x6b, 0x3a, 0x0a, 0x63, 0xe9, 0x0a],
    'bad.yaml:2: the byte at offset 4 is no UTF-8: save the text as UTF-8',
  ],
  ['UTF-16', [0xff, 0xfe, 0x61, 0x00], 'bad.yaml:1: the byte at offset 0 is no UTF-8: save the text as UTF-8'],
  [
    'a text that is cut in a letter',
    [0x61, 0xc3],
    'bad.yaml:1: the byte at offset 1 is no UTF-8: save the text as UTF-8',
  ],
  [
    'half of a surrogate pair',
    [0x61, 0xed, 0xa0, 0x80],
    'bad.yaml:1: the byte at offset 1 is no UTF-8: save the text as UTF-8',
  ],
])('%s is refused, with the place', async (_what, bytes, message) => {
  sandbox = openCliSandbox({});
  writeFileSync(join(sandbox.folder, 'bad.yaml'), Uint8Array.from(bytes));
  await expect(readDocuments('bad.yaml', 'sample', { cwd: sandbox.folder } as never)).rejects.toThrow(message);
});

test('a byte order mark and line ends of Windows are read over', async () => {
  const text = '\uFEFFkind: A\r\n---\r\nkind: B\r\n';
  expect(await read({ 'a.yaml': text }, 'a.yaml')).toEqual([
    ['a.yaml#1', 'A'],
    ['a.yaml#2', 'B'],
  ]);
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be read is an error with its name', async () => {
  sandbox = openCliSandbox({ 'in/closed/a.yaml': kind('A') });
  const closed = join(sandbox.folder, 'in/closed');
  chmodSync(closed, 0);
  try {
    await expect(readDocuments('in', 'samples', { cwd: sandbox.folder } as never)).rejects.toThrow(
      'cannot read the folder in/closed: reading it is not allowed',
    );
  } finally {
    chmodSync(closed, 0o700);
  }
});

test.each<[string, string, RegExp]>([
  [
    'a document that is a list',
    'kind: A\n---\n- a\n',
    /^bad\.yaml:3: a document must be a Kubernetes object, found array$/,
  ],
  ['a document that is text', 'some text\n', /^bad\.yaml:1: .*found string$/],
  ['a syntax error', 'a: [\n', /^bad\.yaml: line \d+: /],
])('%s is an error with its file and line', async (_title, text, message) => {
  await expect(read({ 'bad.yaml': text }, 'bad.yaml')).rejects.toThrow(message);
});
