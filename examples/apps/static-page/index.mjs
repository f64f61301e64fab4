import { readFile } from 'node:fs/promises';

const FILES = { '/': 'index.html', '/style.css': 'style.css' };
const TYPES = { html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8' };

/** Files of the package, read once for each instance. */
const pages = new Map(
  await Promise.all(
    Object.entries(FILES).map(async ([path, file]) => {
      const body = await readFile(new URL(file, import.meta.url), 'utf8');
      return [path, { statusCode: 200, headers: { 'content-type': TYPES[file.split('.').at(-1)] }, body }];
    }),
  ),
);

export async function handler({ rawPath }) {
  return pages.get(rawPath) ?? { statusCode: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found\n' };
}
