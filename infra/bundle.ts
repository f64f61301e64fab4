import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { buildSecretsLayer } from './bundle-layer.ts';

/** The Lambda functions: each `functions/<name>.ts` becomes `dist/<name>/index.mjs` with its chunks. */
const FUNCTIONS = ['convert', 'api', 'worker', 'reconcile', 'pre-traffic', 'synthetic'] as const;
const BRAND_FILE = join(import.meta.dirname, '..', 'brand.yaml');

export interface BundleReport {
  readonly name: string;
  /** The module that Lambda loads; its handler is `index.handler`. */
  readonly entry: string;
  /** What a cold start loads: the entry and every chunk that it imports statically. Minified bytes. */
  readonly eagerBytes: number;
  readonly lazy: readonly LazyChunk[];
}

interface LazyChunk {
  readonly file: string;
  readonly bytes: number;
  /** The package or folder that most of it comes from. */
  readonly origin: string;
}

/** ESM has no `require`, but some CommonJS dependencies ask for Node's own modules with it. */
const BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/**
 * Bundles one function. Code behind a dynamic `import()` (CEL, RE2) becomes a chunk of its own, which is read only when
 * a plan needs it. The metafile is kept beside the folder: it says which module the bytes come from.
 *
 * @param brandFile what `api` finds as `brand.yaml` in its working directory
 */
export async function bundleFunction(name: string, outdir: string, brandFile = BRAND_FILE): Promise<BundleReport> {
  const folder = join(outdir, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: { index: join(import.meta.dirname, '..', 'functions', `${name}.ts`) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    absWorkingDir: join(import.meta.dirname, '..'),
    bundle: true,
    // An error that ends a process is shown with its source line, which else is half of the bundle.
    lineLimit: 500,
    splitting: true,
    minify: true,
    sourcemap: true,
    // A stack trace needs names and lines only; with the sources the maps are four times as large.
    sourcesContent: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: BANNER },
    legalComments: 'none',
    logLevel: 'warning',
  });
  await writeFile(join(outdir, `${name}.meta.json`), JSON.stringify(metafile));
  // Not a copy of the file: that would keep its mode, and Lambda cannot open what only its owner may read.
  if (name === 'api') await writeFile(join(folder, 'brand.yaml'), await readFile(brandFile));
  return measure(name, join(folder, 'index.mjs'), metafile);
}

/** Bundles all functions, each in a folder of its name, and beside them the layer `secrets-layer`. */
export async function bundleAll(outdir: string, brandFile?: string): Promise<BundleReport[]> {
  await buildSecretsLayer(outdir);
  return await Promise.all(FUNCTIONS.map((name) => bundleFunction(name, outdir, brandFile)));
}

function measure(name: string, entry: string, { outputs }: Metafile): BundleReport {
  const modules = Object.entries(outputs).filter(([file]) => file.endsWith('.mjs'));
  const start = modules.find(([, output]) => output.entryPoint === `functions/${name}.ts`)?.[0];
  if (start === undefined) throw new Error(`functions/${name}.ts is not among the outputs`);
  const eager = new Set<string>();
  const pending = [start];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    const output = outputs[file];
    if (output === undefined || eager.has(file)) continue;
    eager.add(file);
    pending.push(...output.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path));
  }
  return {
    name,
    entry,
    eagerBytes: modules.reduce((sum, [file, { bytes }]) => (eager.has(file) ? sum + bytes : sum), 0),
    lazy: modules
      .filter(([file]) => !eager.has(file))
      .map(([file, output]) => ({ file, bytes: output.bytes, origin: originOf(output) }))
      .toSorted((a, b) => b.bytes - a.bytes),
  };
}

function originOf({ inputs }: Metafile['outputs'][string]): string {
  const [largest = ''] = Object.entries(inputs)
    .toSorted(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .map(([file]) => file);
  return /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(largest)?.[1] ?? largest;
}

/** One line for what every cold start loads, then one for each chunk that is loaded when it is needed. */
function renderReport({ name, eagerBytes, lazy }: BundleReport): string {
  const line = (label: string, bytes: number, what: string) =>
    `${label.padEnd(8)}${(bytes / 1024).toFixed(1).padStart(8)} KiB  ${what}\n`;
  const chunks = lazy.map(({ bytes, origin }) => line('', bytes, `on use: ${origin}`));
  return [line(name, eagerBytes, 'loaded by every cold start'), ...chunks].join('');
}

if (import.meta.main) {
  const reports = await bundleAll(join(import.meta.dirname, '..', 'dist'));
  process.stdout.write(reports.map(renderReport).join(''));
}
