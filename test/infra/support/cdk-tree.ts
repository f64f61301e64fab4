import { spawn } from 'node:child_process';
import { copyFile, cp, link, mkdir, mkdtemp, readdir, readlink, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
/** All of the repository that a synth reads, besides packages. */
const SOURCES = ['brand.yaml', 'cdk.json', 'functions', 'infra', 'lib', 'package.json', 'tsconfig.json'];

interface CdkOptions {
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CdkResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The cloud assembly. */
  readonly outdir: string;
  /** What was written beside the cloud assembly: bundles, the home folder, temporary files. Relative to their folders. */
  readonly traces: readonly string[];
}

/**
 * A copy of the repository. Bundles go to `dist` of the repository, so two synths at the same time need two trees. All
 * paths in a copy are its own, also those of packages, which a link to `node_modules` would resolve to the original.
 */
export async function copyTree(folder: string): Promise<void> {
  for (const name of SOURCES) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  // Caches, whose names start with a dot, change while tests run.
  const packages = await readdir(join(ROOT, 'node_modules'));
  for (const name of packages.filter((name) => name === '.bin' || !name.startsWith('.'))) {
    await linkFiles(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

/** Hard links, since packages are 600 MB; copies where the temporary folder is on another file system. */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { withFileTypes: true });
  const make = async (entry: (typeof entries)[number]) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) return linkFiles(source, target);
    if (entry.isSymbolicLink()) return symlink(await readlink(source), target);
    return link(source, target).catch(() => copyFile(source, target));
  };
  await Promise.all(entries.map(make));
}

/**
 * `cdk synth` in a tree as on a machine that has never seen AWS: no credentials, no settings of a person, no network.
 *
 * @param outdir where the cloud assembly goes; must not be there
 */
export async function cdkSynth(tree: string, outdir: string, options: CdkOptions = {}): Promise<CdkResult> {
  const bin = join(tree, 'node_modules/.bin');
  const home = await mkdtemp(join(dirname(outdir), 'home-'));
  const child = spawn(process.execPath, [join(bin, 'cdk'), 'synth', '--output', outdir, ...(options.arguments ?? [])], {
    cwd: tree,
    env: {
      // `node`, which cdk.json names, is then the one of the repository.
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: home,
      TMPDIR: home,
      NODE_OPTIONS: `--import=${import.meta.resolve('./no-network.ts')}`,
      AWS_EC2_METADATA_DISABLED: 'true',
      // Telemetry is sent by a process that lives longer than the command.
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([child.stdout.toArray(), child.stderr.toArray(), closed]);
  const traces = await Promise.all([listFiles(home), listFiles(join(tree, 'dist'))]);
  return {
    code,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    outdir,
    traces: traces.flat(),
  };
}

/** The files below a folder, relative to it; none when it is not there. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
}
