import { symlinkSync } from 'node:fs';
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

test('a folder gives its YAML files, and those of the folders in it, in the order of their names', async () => {
  const files = {
    'in/b/z.yaml': kind('C'),
    'in/b/A.YML': kind('B'),
    'in/a.yaml': kind('A'),
    'in/c.json': '{"kind": "No"}',
    'in/d.yaml.txt': kind('No'),
    'in/Z.yaml': kind('Z'),
  };
  expect(await read(files, 'in')).toEqual([
    ['in/Z.yaml', 'Z'],
    ['in/a.yaml', 'A'],
    ['in/b/A.YML', 'B'],
    ['in/b/z.yaml', 'C'],
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
