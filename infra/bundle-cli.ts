import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { platform } from 'node:os';
import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { renderNotices } from './notices.ts';

const ROOT = join(import.meta.dirname, '..');

/** Packages that few command lines need, with what is used of them. */
const ON_USE: Readonly<Record<string, string>> = {
  '@kubernetes/client-node': '{ KubeConfig }',
  '@marcbachmann/cel-js': '*',
  'fast-check': '*',
  re2js: '*',
};

const COMMON: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  write: false,
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  // Node prints the line of an error that nothing caught.
  lineLimit: 500,
  // Whole licences are in the notices beside it.
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Packages as compressed texts, which are unpacked when they are imported: V8 reads every byte of a script before its
 * first line runs (30 ms a megabyte), whether the code is used or not.
 */
const packOnUse = (inputs: Set<string>): Plugin => ({
  name: 'pack-on-use',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^.]/ }, ({ path }) =>
      Object.hasOwn(ON_USE, path) ? { path, namespace: 'on-use' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'on-use' }, async ({ path }) => ({
      contents: await pack(path, inputs),
      resolveDir: ROOT,
    }));
  },
});

/**
 * The Kubernetes client makes agents of undici for its `fetch`, which convctl does not use: requests are node:https, and
 * undici does not load on Node.js 20.
 */
const withoutUndici: Plugin = {
  name: 'without-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** @param inputs gets the files that were packed */
async function pack(path: string, inputs: Set<string>): Promise<string> {
  const stdin = { contents: `export ${ON_USE[path]} from '${path}'`, resolveDir: ROOT };
  const options = { ...COMMON, stdin, write: false, metafile: true, plugins: [withoutUndici] } satisfies BuildOptions;
  const [{ metafile }, { outputFiles }] = await Promise.all([
    build({ ...options, format: 'esm' }),
    build({ ...options, format: 'cjs' }),
  ]);
  for (const file of Object.keys(metafile.inputs)) inputs.add(file);
  const names = Object.values(metafile.outputs).flatMap((output) => output.exports);
  const packed = brotliCompressSync(outputFiles[0]?.contents ?? '').toString('base64');
  return `const module = { exports: {} };
    const code = require('node:zlib').brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString();
    const compile = require('node:vm').compileFunction;
    compile(code, ['module', 'exports', 'require'], { filename: '${path}.cjs' })(module, module.exports, require);
    export const { ${names.join(', ')} } = module.exports;`;
}

/** Node's own modules are loaded where they are used first; static imports would load them all at the start. */
const builtinsOnUse: Plugin = {
  name: 'builtins-on-use',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, '');
      return kind === 'import-statement' && builtinModules.includes(name)
        ? { path: name, namespace: 'builtin' }
        : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require('node:${path}')`,
    }));
  },
};

/** The programs, each of which is one file. */
const ENTRIES = { convctl: 'lib/cli/main.ts', roundhouse: 'lib/cli/roundhouse.ts' } as const;

/**
 * Bundles each program to one executable file, which needs nothing beside it but Node.js, and writes whose code is in
 * them.
 * @returns the files
 */
export async function bundleCli(outdir: string): Promise<Readonly<Record<keyof typeof ENTRIES, string>>> {
  await mkdir(outdir, { recursive: true });
  const inputs = new Set<string>();
  const [convctl, roundhouse] = await Promise.all([
    bundleProgram('convctl', outdir, inputs),
    bundleProgram('roundhouse', outdir, inputs),
  ]);
  await writeFile(join(outdir, 'THIRD-PARTY-NOTICES'), await renderNotices([...inputs], ROOT));
  return { convctl, roundhouse };
}

/** @param inputs gets the files that are in it */
async function bundleProgram(name: keyof typeof ENTRIES, outdir: string, inputs: Set<string>): Promise<string> {
  const outfile = join(outdir, `${name}.js`);
  const banner =
    "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";
  const { metafile } = await build({
    ...COMMON,
    write: true,
    metafile: true,
    entryPoints: [ENTRIES[name]],
    outfile,
    format: 'esm',
    banner: { js: banner },
    plugins: [packOnUse(inputs), builtinsOnUse],
  });
  await chmod(outfile, 0o755);
  for (const file of Object.keys(metafile.inputs)) inputs.add(file);
  return outfile;
}

/**
 * Puts the programs where `npx NAME` looks first. Else npx links the package into a cache of its own, which for ever has
 * the programs that there were at the first time: a clone that is older than `roundhouse` would never find it.
 */
async function linkForNpx(files: Awaited<ReturnType<typeof bundleCli>>): Promise<void> {
  const folder = join(ROOT, 'node_modules', '.bin');
  for (const [name, file] of Object.entries(files)) {
    const link = join(folder, name);
    await rm(link, { force: true });
    await symlink(relative(folder, file), link);
  }
}

if (import.meta.main) {
  const files = await bundleCli(join(ROOT, 'dist', 'cli'));
  // Links of Windows are files of another kind, which npm knows how to make.
  if (platform() !== 'win32') await linkForNpx(files);
}
