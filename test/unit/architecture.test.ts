import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What each part may import of the others. Imports go one way: engine ← k8s ← configs, apps ← http ← functions. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'lib/engine': [],
  'lib/errors.ts': ['lib/engine'],
  'lib/clock.ts': [],
  'lib/k8s': ['lib/engine'],
  'lib/aws': [],
  'lib/store': ['lib/aws', 'lib/errors.ts'],
  'lib/configs': ['lib/engine', 'lib/k8s', 'lib/store', 'lib/clock.ts', 'lib/errors.ts'],
  'lib/apps': ['lib/aws', 'lib/engine', 'lib/store', 'lib/clock.ts', 'lib/errors.ts'],
  'lib/access': ['lib/store', 'lib/clock.ts', 'lib/errors.ts'],
  'lib/telemetry': ['lib/engine', 'lib/errors.ts'],
  'lib/system': ['lib/engine', 'lib/k8s', 'lib/store', 'lib/apps', 'lib/clock.ts', 'lib/errors.ts'],
  'lib/http': [
    'lib/engine',
    'lib/k8s',
    'lib/store',
    'lib/configs',
    'lib/apps',
    'lib/access',
    'lib/system',
    'lib/telemetry',
    'lib/clock.ts',
    'lib/errors.ts',
  ],
  'lib/deployment': ['lib/aws', 'lib/engine', 'lib/k8s', 'lib/http', 'lib/telemetry'],
  'lib/cli': ['lib/engine', 'lib/k8s', 'lib/configs', 'lib/errors.ts', 'package.json'],
  'lib/dev': [
    'infra/bundle-layer.ts',
    'lib/deployment',
    'lib/aws',
    'lib/engine',
    'lib/k8s',
    'lib/configs',
    'lib/apps',
    'lib/access',
    'lib/store',
    'lib/http',
    'lib/system',
    'lib/telemetry',
    'lib/clock.ts',
    'lib/errors.ts',
    'package.json',
  ],
  functions: [
    'lib/aws',
    'lib/configs',
    'lib/apps',
    'lib/access',
    'lib/store',
    'lib/http',
    'lib/deployment',
    'lib/system',
    'lib/telemetry',
    'package.json',
  ],
  'infra/bundle-layer.ts': [],
  infra: [
    'infra/bundle-layer.ts',
    'lib/apps',
    'lib/deployment',
    'lib/store',
    'lib/system',
    'lib/telemetry',
    'lib/errors.ts',
  ],
};

interface Source {
  readonly file: string;
  readonly text: string;
}

const sources: Source[] = ['lib', 'functions', 'infra'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') })),
);

/** The part of the tree that a file belongs to. */
function partOf(file: string): string {
  return Object.keys(ALLOWED).find((part) => file === part || file.startsWith(`${part}/`)) ?? file;
}

function importsOf({ file, text }: Source): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier]) => specifier ?? '');
  return specifiers.map((specifier) => relative(root, join(root, dirname(file), specifier)));
}

describe('the layers', () => {
  test.each(Object.keys(ALLOWED))('%s imports only what it may', (part) => {
    const wrong = sources
      .filter(({ file }) => partOf(file) === part)
      .flatMap((source) =>
        importsOf(source)
          .filter((target) => partOf(target) !== part && !ALLOWED[part]?.includes(partOf(target)))
          .map((target) => `${source.file} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('every source file belongs to a part', () => {
    expect(sources.map(({ file }) => file).filter((file) => !(partOf(file) in ALLOWED))).toEqual([]);
  });
});

test.each([
  ['process.env', /process\.env/, ['functions/config.ts', 'infra/app.ts', 'lib/dev/main.ts']],
  [
    'process.stdout',
    /process\.stdout/,
    [
      'functions/api.ts',
      'functions/convert.ts',
      'functions/reconcile.ts',
      'functions/secrets-layer/secrets.ts',
      'functions/synthetic.ts',
      'functions/worker.ts',
      'infra/bundle.ts',
      'lib/cli/start.ts',
      'lib/dev/main.ts',
    ],
  ],
  [
    'js-yaml',
    /from 'js-yaml'/,
    ['lib/cli/output/yaml.ts', 'lib/k8s/yaml-marks.ts', 'lib/k8s/yaml-schema.ts', 'lib/k8s/yaml.ts'],
  ],
  ['re2js', /from 're2js'/, ['lib/engine/values/regex.ts']],
])('%s is used in its own files only', (_what, pattern, files) => {
  const users = sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  expect(users.sort()).toEqual(files);
});

test('handlers of functions are thin', () => {
  for (const { file, text } of sources.filter(({ file }) => /^functions\/(?!config)[a-z-]+\.ts$/.test(file))) {
    expect({ file, long: text.trimEnd().split('\n').length > 40 }).toEqual({ file, long: false });
  }
});
