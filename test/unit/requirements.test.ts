import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('docs/requirements.md has a line for every requirement that code and tests name', () => {
  const texts = ['lib', 'functions', 'infra', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  const named = new Set(texts.flatMap((text) => text.match(/\bR[0-6]\d\b/g) ?? []));
  const listed = new Set<string>(readFileSync(join(root, 'docs/requirements.md'), 'utf8').match(/\bR[0-6]\d\b/g));
  expect([...named].filter((number) => !listed.has(number))).toEqual([]);
});
