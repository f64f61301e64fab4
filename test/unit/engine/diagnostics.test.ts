import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../lib/errors.ts';

const root = join(import.meta.dirname, '../../..');
const sources = ['lib/engine', 'lib/k8s', 'lib/configs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);
/** Upper snake case in quotes that is no finding: error codes, and the placeholder of a patch. */
const OTHER = new Set([...Object.keys(ERRORS), 'REPLACE_WITH_TOKEN']);
/** Made from the name of what was read. */
const COMPOSED = ['CONFIG_SYNTAX', 'SCHEMA_SYNTAX'];

test('docs/diagnostics.md lists exactly the codes that the source can report', () => {
  const inSource = sources.flatMap((text) =>
    [...text.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)].map(([, code]) => code),
  );
  const used = new Set([...inSource.filter((code) => !OTHER.has(code ?? '')), ...COMPOSED]);
  const text = readFileSync(join(root, 'docs/diagnostics.md'), 'utf8');
  const documented = new Set([...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)].map(([, code]) => code));
  expect([...documented].sort()).toEqual([...used].sort());
});
