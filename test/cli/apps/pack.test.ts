import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, describe, expect, test } from 'vitest';
import { parseIgnore } from '../../../lib/cli/apps/pack/ignore.ts';
import { listPackage } from '../../../lib/cli/apps/pack/walk.ts';
import { zipFiles } from '../../../lib/cli/apps/pack/zip.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const pathsOf = async (folder: string) => (await listPackage(folder, 'app')).map(({ path }) => path);
const pack = async (folder: string) => zipFiles(await listPackage(folder, 'app'), () => {});
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('what is in a package', () => {
  test('files in the order of their bytes, from all folders, node_modules included', async () => {
    const folder = folderOf({
      'b.mjs': '',
      'a/z.mjs': '',
      'a.mjs': '',
      'B.mjs': '',
      'node_modules/x/index.js': '',
      é: '',
    });
    expect(await pathsOf(folder)).toEqual(['B.mjs', 'a.mjs', 'a/z.mjs', 'b.mjs', 'node_modules/x/index.js', 'é']);
  });

  test('not what is never meant, unless the file takes it in', async () => {
    const files = { '.git/config': '', '.env': '', '.env.local': '', '.DS_Store': '', 'lib/.env': '', '.npmrc': '' };
    expect(await pathsOf(folderOf({ ...files, 'index.mjs': '' }))).toEqual(['.npmrc', 'index.mjs']);
    const wanted = folderOf({ ...files, 'index.mjs': '', '.roundhouseignore': '!.env\n.npmrc\n' });
    expect(await pathsOf(wanted)).toEqual(['.env', 'index.mjs', 'lib/.env']);
  });

  test('a link counts as what it leads to, also to a folder', async () => {
    const folder = folderOf({ 'real/one.mjs': 'one', 'index.mjs': '' });
    symlinkSync('real/one.mjs', join(folder, 'link.mjs'));
    symlinkSync('real', join(folder, 'also'));
    expect(await pathsOf(folder)).toEqual(['also/one.mjs', 'index.mjs', 'link.mjs', 'real/one.mjs']);
    const entries = unzipSync(await pack(folder));
    expect(new TextDecoder().decode(entries['link.mjs'])).toBe('one');
  });

  test.each([
    ['to a file outside', '/etc/hostname', /app\/link|link: this link leads out of the folder, to \/etc\/hostname\./],
    ['to a folder above', '..', /link: this link leads out of the folder/],
    ['to a folder whose name only begins the same', '../pack-', /link: this link leads (nowhere|out of the folder)/],
    ['to itself', 'link', /link: this link leads in a circle/],
    ['to nothing', 'nothing', /link: this link leads nowhere/],
    ['to the folder itself', '.', /link: this link leads in a circle/],
  ])('a link %s is refused', async (_what, target, reason) => {
    const folder = folderOf({ 'index.mjs': '' });
    symlinkSync(target, join(folder, 'link'));
    await expect(pathsOf(folder)).rejects.toThrow(reason);
  });

  test('a link out of a sibling with the same beginning is refused', async () => {
    const folder = folderOf({ 'app/index.mjs': '', 'app-secrets/key': 'canary' });
    symlinkSync('../app-secrets/key', join(folder, 'app/link'));
    await expect(pathsOf(join(folder, 'app'))).rejects.toThrow(/leads out of the folder/);
  });

  test('a link that is named to stay out may lead anywhere', async () => {
    const folder = folderOf({ 'index.mjs': '', '.roundhouseignore': 'link\nlinked/\n', 'real/x': '' });
    symlinkSync('/etc', join(folder, 'link'));
    symlinkSync('real', join(folder, 'linked'));
    expect(await pathsOf(folder)).toEqual(['index.mjs', 'real/x']);
  });

  test('what is no file is refused, and not waited for', async () => {
    const folder = folderOf({ 'index.mjs': '' });
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    await expect(pathsOf(folder)).rejects.toThrow('cannot pack pipe: it is neither a file nor a folder');
  });

  test.each([
    ['an empty folder', {}, /there is no file in it that counts/],
    ['one where all stays out', { '.env': 'X=1' }, /there is no file in it that counts/],
  ])('%s is refused', async (_what, files, reason) => {
    await expect(pathsOf(folderOf(files))).rejects.toThrow(reason);
  });

  test('a file in place of a folder, and a folder that is not there, are refused', async () => {
    const folder = folderOf({ 'index.mjs': '' });
    await expect(pathsOf(join(folder, 'index.mjs'))).rejects.toThrow(/cannot pack app: it is no folder/);
    await expect(pathsOf(join(folder, 'nothing'))).rejects.toThrow('cannot pack app: there is no such folder');
  });

  test('250 MB are taken and one byte more is not, with the largest files by name', async () => {
    const folder = folderOf({ 'index.mjs': '', 'model.bin': '', 'data/more.bin': '' });
    truncateSync(join(folder, 'model.bin'), 200 * 1024 * 1024);
    truncateSync(join(folder, 'data/more.bin'), 50 * 1024 * 1024);
    expect(await pathsOf(folder)).toHaveLength(3);
    writeFileSync(join(folder, 'index.mjs'), 'x');
    await expect(pathsOf(folder)).rejects.toThrow(
      /it has 250\.0 MB, and Lambda takes 250\.0 MB unpacked\. .*\n {2}200\.0 MB {2}model\.bin\n {2}50\.0 MB {2}data\/more\.bin\n/,
    );
  });
});

describe('the bytes of a package', () => {
  const files = { 'index.mjs': 'export const handler = 1;\n'.repeat(50), 'lib/a.mjs': 'a', 'run.sh': '#!/bin/sh\n' };

  test("are the same for the same files, whatever their times, owners' modes and the order of their making", async () => {
    const one = folderOf(files);
    const other = folderOf(Object.fromEntries(Object.entries(files).reverse()));
    utimesSync(join(other, 'index.mjs'), 1, 1);
    chmodSync(join(other, 'lib/a.mjs'), 0o600);
    expect(hashOf(await pack(other))).toBe(hashOf(await pack(one)));
  });

  test('are the same in every time zone, and under every Node.js of this machine', async () => {
    const folder = folderOf(files);
    const script = `
      const { listPackage } = await import(${JSON.stringify(join(import.meta.dirname, '../../../lib/cli/apps/pack/walk.ts'))});
      const { zipFiles } = await import(${JSON.stringify(join(import.meta.dirname, '../../../lib/cli/apps/pack/zip.ts'))});
      const { createHash } = await import('node:crypto');
      const bytes = await zipFiles(await listPackage(${JSON.stringify(folder)}, 'app'), () => {});
      process.stdout.write(createHash('sha256').update(bytes).digest('hex'));`;
    const here = hashOf(await pack(folder));
    for (const TZ of ['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Pacific/Pago_Pago']) {
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
        env: { ...process.env, TZ },
      });
      expect([TZ, stdout]).toEqual([TZ, here]);
    }
  });

  test.each([
    ['a content', (folder: string) => writeFileSync(join(folder, 'lib/a.mjs'), 'b')],
    ['a name', (folder: string) => writeFileSync(join(folder, 'lib/b.mjs'), 'a')],
    ['the bit that makes a program', (folder: string) => chmodSync(join(folder, 'run.sh'), 0o755)],
  ])('change with %s', async (_what, change) => {
    const folder = folderOf(files);
    const before = hashOf(await pack(folder));
    change(folder);
    expect(hashOf(await pack(folder))).not.toBe(before);
  });

  test('are a zip that other programs read, with modes that Lambda can run', async () => {
    const folder = folderOf({ ...files, 'empty.txt': '', 'ümläut.txt': 'ü' });
    chmodSync(join(folder, 'run.sh'), 0o700);
    const zip = join(folderOf({}), 'app.zip');
    writeFileSync(zip, await pack(folder));
    const script = `import json,sys,zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, oct(i.external_attr >> 16), z.read(i).decode()[:12]] for i in z.infolist()]))`;
    const { stdout, status } = spawnSync('python3', ['-c', script, zip], { encoding: 'utf8' });
    if (status !== 0) return void expect(Object.keys(unzipSync(await pack(folder)))).toHaveLength(5);
    expect(JSON.parse(stdout)).toEqual([
      ['empty.txt', '0o100644', ''],
      ['index.mjs', '0o100644', 'export const'],
      ['lib/a.mjs', '0o100644', 'a'],
      ['run.sh', '0o100755', '#!/bin/sh\n'],
      ['ümläut.txt', '0o100644', 'ü'],
    ]);
  });

  test('are not made of a file that changes meanwhile', async () => {
    const folder = folderOf(files);
    const listed = await listPackage(folder, 'app');
    writeFileSync(join(folder, 'lib/a.mjs'), 'longer');
    await expect(zipFiles(listed, () => {})).rejects.toThrow('lib/a.mjs changed while it was packed');
  });

  test('are counted while they are read', async () => {
    const seen: number[] = [];
    await zipFiles(await listPackage(folderOf({ a: '12', b: '345' }), 'app'), (bytes) => seen.push(bytes));
    expect(seen).toEqual([2, 5]);
  });
});

describe('a line of .roundhouseignore', () => {
  test.each<[string, string, boolean]>([
    ['*.log', 'a.log', true],
    ['*.log', 'deep/er/a.log', true],
    ['*.log', 'a.log.txt', false],
    ['/a.log', 'a.log', true],
    ['/a.log', 'deep/a.log', false],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/deep/a.md', false],
    ['docs/*.md', 'other/docs/a.md', false],
    ['docs/**/a.md', 'docs/a.md', true],
    ['docs/**/a.md', 'docs/x/y/a.md', true],
    ['**/test', 'a/b/test', true],
    ['**/test', 'test', true],
    ['docs/**', 'docs/x/y', true],
    ['docs/**', 'docs', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[ab].txt', 'a.txt', true],
    ['[!ab].txt', 'a.txt', false],
    ['[!ab].txt', 'c.txt', true],
    ['[a-c].txt', 'b.txt', true],
    ['a.c', 'abc', false],
    ['a+(b)', 'a+(b)', true],
    ['\\#a', '#a', true],
    ['# a comment', '# a comment', false],
    ['', 'a', false],
    ['trailing  ', 'trailing', true],
    ['build/', 'build', false],
    ['*.md\n!README.md', 'README.md', false],
    ['*.md\n!README.md', 'a.md', true],
    ['!README.md\n*.md', 'README.md', true],
    ['[', '[', true],
    ['a\r\nb', 'a', true],
  ])('%j: %s stays out: %s', (line, path, out) => {
    expect(parseIgnore(line)(path, false)).toBe(out);
  });

  test('with a slash at its end is about folders', () => {
    expect(parseIgnore('build/')('build', true)).toBe(true);
    expect(parseIgnore('build/')('deep/build', true)).toBe(true);
  });

  test('takes no longer for many stars', () => {
    const ignores = parseIgnore(`${'*a'.repeat(20)}b`);
    const start = performance.now();
    ignores('a'.repeat(60), false);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
