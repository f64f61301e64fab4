import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface ProcessOptions {
  readonly cwd?: string;
  /** All of it; that of this process when absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads; nothing when absent. */
  readonly input?: string;
}

export interface Running {
  readonly pid: number;
  /** What it has printed so far, on either stream. */
  readonly output: () => string;
  /** Resolves when it has ended. */
  readonly ended: Promise<number | null>;
}

export interface Finished {
  readonly code: number | null;
  /** What it printed on either stream. */
  readonly output: string;
}

/** Folders and processes that are gone when it is closed, and also when this process ends before that. */
export interface Workbench {
  /** Makes a folder; by default among the temporary ones. */
  readonly folder: (prefix: string, parent?: string) => string;
  readonly start: (command: readonly string[], options?: ProcessOptions) => Running;
  readonly run: (command: readonly string[], options?: ProcessOptions) => Promise<Finished>;
  readonly close: () => Promise<void>;
}

export function openWorkbench(): Workbench {
  const janitor = spawn(process.execPath, [join(import.meta.dirname, 'janitor.ts')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    // Its own start, not that of a test worker.
    env: { PATH: process.env['PATH'] },
  });
  const tell = (made: object) => janitor.stdin.write(`${JSON.stringify(made)}\n`);

  const start = (command: readonly string[], options: ProcessOptions = {}): Running => {
    const [file = '', ...args] = command;
    const { input, ...rest } = options;
    const child = spawn(file, args, { ...rest, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    if (child.pid === undefined) throw new Error(`${file} cannot be started`);
    // A program that ends before it has read everything is judged by its exit code.
    child.stdin.on('error', () => {}).end(input);
    tell({ session: child.pid });
    const output = collect(child);
    return { pid: child.pid, output, ended: once(child, 'close').then(([code]) => code as number | null) };
  };

  return {
    start,
    folder(prefix, parent = tmpdir()) {
      const folder = mkdtempSync(join(parent, prefix));
      tell({ folder });
      return folder;
    },
    async run(command, options) {
      const { ended, output } = start(command, options);
      return { code: await ended, output: output() };
    },
    async close() {
      janitor.stdin.end();
      if (janitor.exitCode === null) await once(janitor, 'exit');
      if (janitor.exitCode !== 0) throw new Error(`the janitor ended with ${janitor.exitCode}: processes may be left`);
    },
  };
}

function collect(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
