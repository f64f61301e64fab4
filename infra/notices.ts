import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of a package, also of one that another one brought along. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE_FILE = /^(licen[cs]e|notice|copying)(\b|[-_.])/i;

/**
 * The licences of all packages that a bundle has code of, which have to go where that code goes.
 * @param inputs paths of the files that were bundled, below `root`
 */
export async function renderNotices(inputs: Iterable<string>, root: string): Promise<string> {
  const folders = new Set([...inputs].flatMap((file) => PACKAGE.exec(file)?.[0] ?? []));
  const parts = await Promise.all([...folders].sort().map((folder) => noticeOf(join(root, folder))));
  return `convctl and roundhouse have code of these packages, under their licences.\n${[...new Set(parts)].join('')}`;
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`\n${'-'.repeat(80)}\n${name} ${version} (${license})\n`, ...texts.map((text) => `\n${text.trim()}\n`)].join(
    '',
  );
}
