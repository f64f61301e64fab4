import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Workbench } from '../support/workbench.ts';

/** Something that a machine must have, and the command that succeeds where it does. */
export interface Need {
  readonly what: string;
  readonly command: readonly string[];
}

/** A program that is built on this machine from what a folder beside this file pins. */
export interface Tool {
  /** The name of that folder, with a manifest and a lock file, which decide the key in the cache. */
  readonly name: string;
  readonly needs: readonly Need[];
  /** Commands that are run in a copy of the folder, one after the other. */
  readonly build: readonly (readonly string[])[];
  /** Whether what is built depends on the version of this need: others may be updated without a new build. */
  readonly builtFor?: Need;
  /** What others run of it: a file in its folder. */
  readonly program: string;
  /** Nothing is built where this environment variable names a program, or this command is on the PATH. */
  readonly existing?: { readonly variable: string; readonly command?: string };
}

const LOOK_MS = 200;
/** Three times what the largest build takes on two cores. */
const LOCK_MS = 600_000;

/** `ROUNDHOUSE_E2E_CACHE`, or `roundhouse` in the cache folder of the user. */
function cacheFolder(): string {
  const { ROUNDHOUSE_E2E_CACHE: own, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } = process.env;
  return own ?? join(caches, 'roundhouse');
}

/**
 * Whether this machine has what a part of the tests needs. Where it does not, one line says what is missing, and the
 * part is skipped; with the environment variable `CI` it fails instead.
 */
export function canRun(part: string, tools: readonly Tool[]): boolean {
  const needs = tools.filter((tool) => !existsSync(programOf(tool))).flatMap((tool) => tool.needs);
  const missing = new Set(needs.filter((need) => !isThere(need)).map(({ what }) => what));
  if (missing.size === 0) return true;
  const line = `e2e ${part}: this machine has no ${[...missing].join(', no ')}`;
  if (process.env['CI']) throw new Error(line);
  if (!process.env['ROUNDHOUSE_E2E_ANNOUNCED']) process.stderr.write(`${line}; skipped\n`);
  return false;
}

/**
 * The program of a tool: one that is there already, or that of the cache, built when the cache does not have it. Built in
 * another folder and then renamed: what has its name is whole.
 */
export async function install(workbench: Workbench, tool: Tool): Promise<string> {
  const program = programOf(tool);
  if (existsSync(program) || program === findExisting(tool)) return program;
  const folder = folderOf(tool);
  mkdirSync(cacheFolder(), { recursive: true });
  await oneAtATime(workbench, `${folder}.lock`, async () => {
    if (!existsSync(folder)) await build(workbench, tool, folder);
  });
  return program;
}

function programOf(tool: Tool): string {
  return findExisting(tool) ?? join(folderOf(tool), tool.program);
}

function folderOf(tool: Tool): string {
  return join(cacheFolder(), `${tool.name}-${keyOf(tool)}`);
}

function sourceOf(tool: Tool): string {
  return join(import.meta.dirname, tool.name);
}

async function build(workbench: Workbench, tool: Tool, folder: string): Promise<void> {
  process.stderr.write(`e2e: building ${tool.name} into ${folder}\n`);
  const building = workbench.folder(`building-${tool.name}-`, cacheFolder());
  cpSync(sourceOf(tool), building, { recursive: true });
  for (const command of tool.build) {
    const { code, output } = await workbench.run(command, { cwd: building });
    if (code !== 0) throw new Error(`${tool.name}: ${command.join(' ')} failed with ${code}:\n${output}`);
  }
  try {
    renameSync(building, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Test files run side by side, and two builds of one tool take twice as long each. The lock holds the process that has
 * it; that of a process which has ended is void. Should two find that at once, both build, and nothing worse.
 */
async function oneAtATime(workbench: Workbench, lock: string, work: () => Promise<void>): Promise<void> {
  const own = join(workbench.folder('lock-', cacheFolder()), 'owner');
  writeFileSync(own, String(process.pid));
  for (const limit = performance.now() + LOCK_MS; !link(own, lock); ) {
    if (!isRunning(lock)) rmSync(lock, { force: true });
    else if (performance.now() < limit) await setTimeout(LOOK_MS);
    else throw new Error(`${lock} is held by process ${readFileSync(lock, 'utf8')}: remove it if that builds nothing`);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Whether a second name could be given to a file, which one process at a time can. */
function link(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the process runs that a lock names; a lock that is gone meanwhile names none. */
function isRunning(lock: string): boolean {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch {
    return false;
  }
}

function findExisting({ existing }: Tool): string | undefined {
  if (existing === undefined) return undefined;
  const named = process.env[existing.variable];
  if (named) return named;
  const folders = existing.command === undefined ? [] : (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, existing.command ?? '')).find((file) => existsSync(file));
}

/** Manifest, lock file, commands and machine; the versions are in the lock files. */
function keyOf(tool: Tool): string {
  const { build, builtFor } = tool;
  const source = sourceOf(tool);
  const hash = createHash('sha256').update(JSON.stringify([build, process.platform, process.arch]));
  for (const name of readdirSync(source).sort()) hash.update(name).update(readFileSync(join(source, name)));
  if (builtFor !== undefined) hash.update(run(builtFor).stdout ?? '');
  return hash.digest('hex').slice(0, 12);
}

function isThere(need: Need): boolean {
  return run(need).status === 0;
}

function run({ command: [file = '', ...args] }: Need) {
  return spawnSync(file, args, { encoding: 'utf8' });
}
