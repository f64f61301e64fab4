import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const SCRIPT = 'roundhouse-secrets';

/** As in every ESM bundle: some CommonJS dependencies ask for Node's own modules with `require`. */
const BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/**
 * Makes the folder that is `/opt` of apps with secrets: the wrapper `roundhouse-secrets` and the program that it runs. It
 * fits every architecture.
 * @returns the folder
 */
export async function buildSecretsLayer(outdir: string): Promise<string> {
  const folder = join(outdir, 'secrets-layer');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: { [SCRIPT]: 'functions/secrets-layer/secrets.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: ROOT,
    bundle: true,
    // Ways to find credentials that a Lambda function does not need stay on the disk.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    banner: { js: BANNER },
    legalComments: 'none',
    logLevel: 'warning',
  });
  const script = join(folder, SCRIPT);
  await copyFile(join(ROOT, 'functions', 'secrets-layer', SCRIPT), script);
  // A copy keeps the mode that a checkout gave it; Lambda runs it as another user.
  await chmod(script, 0o755);
  return folder;
}
