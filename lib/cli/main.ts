#!/usr/bin/env node
import './node-20.ts';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from './command.ts';
import type { Io, Terminal } from './io.ts';
import { runProgram } from './program.ts';

/** The io of a real process. */
function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  const terminalOf = (stream: NodeJS.WriteStream): Terminal | undefined =>
    stream.isTTY ? { columns: stream.columns } : undefined;
  const [out, err] = [terminalOf(stdout), terminalOf(stderr)];
  return {
    out: (data) => void stdout.write(data),
    err: (data) => void stderr.write(data),
    terminal: { ...(out && { out }), ...(err && { err }) },
    colour: env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : out !== undefined && !env['NO_COLOR'],
    readStdin: () => text(stdin),
    env,
    cwd: process.cwd(),
    now: () => performance.timeOrigin + performance.now(),
  };
}

// `convctl … | head` ends the pipe early, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

/**
 * The command that a line begins with, alone, from the file of its name: a start reads no more than it needs. All of
 * them for help, completion, and a name that there is not.
 */
async function loadCommands([first, second]: readonly string[]): Promise<readonly Command[]> {
  for (const file of [`${first}-${second}`, `${first}`]) {
    const found = /^[a-z][a-z-]*$/.test(file) ? await loadFile(file) : [];
    if (found.length > 0) return found;
  }
  return (await import('./commands/index.ts')).COMMANDS;
}

async function loadFile(file: string): Promise<readonly Command[]> {
  try {
    const values: unknown[] = Object.values(await import(`./commands/${file}.ts`));
    return values.filter((value) => typeof value === 'object' && value !== null && 'run' in value) as Command[];
  } catch {
    return [];
  }
}

const argv = process.argv.slice(2);
const name = basename(process.argv[1] ?? '').startsWith('kubectl-conv') ? 'kubectl conv' : 'convctl';
process.exitCode = await runProgram(argv, { name, commands: await loadCommands(argv), io: processIo() });
