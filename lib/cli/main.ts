#!/usr/bin/env node
import './node-20.ts';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from './command.ts';
import { COMMAND_FILES } from './commands/table.ts';
import { EXIT } from './exit-code.ts';
import { decodeUtf8 } from './input/files.ts';
import type { Io, Terminal } from './io.ts';
import { explain, runProgram } from './program.ts';

/** The io of a real process. */
function processIo(): Io {
  const { stdin, env } = process;
  const terminalOf = (stream: NodeJS.WriteStream): Terminal | undefined =>
    stream.isTTY ? { columns: stream.columns } : undefined;
  const [out, err] = [terminalOf(process.stdout), terminalOf(process.stderr)];
  const say = writerOf(process.stderr, () => {});
  return {
    out: writerOf(process.stdout, ({ code, message }) => {
      say(`error: cannot write the output: ${code === 'ENOSPC' ? 'the disk is full' : message}\n`);
      process.exitCode = EXIT.failure;
    }),
    err: say,
    terminal: { ...(out && { out }), ...(err && { err }) },
    colour: !env['NO_COLOR'] && (env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : out !== undefined),
    readStdin: async () => decodeUtf8(await buffer(stdin), 'stdin'),
    env,
    cwd: process.cwd(),
    now: () => performance.timeOrigin + performance.now(),
  };
}

/**
 * Writes to a stream for as long as that can be done. A reader that went away (`convctl … | head`) is no error: the rest
 * is dropped, the command does its work, and its exit code stands.
 */
function writerOf(stream: NodeJS.WriteStream, onFailure: (error: NodeJS.ErrnoException) => void) {
  let open = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (open && error.code !== 'EPIPE') onFailure(error);
    open = false;
  });
  return (data: string) => {
    if (open) stream.write(data);
  };
}

/** The command that a line begins with, alone; all of them for help, completion, and a name that there is not. */
async function loadCommands([first = '', second = '']: readonly string[]): Promise<readonly Command[]> {
  for (const name of [`${first} ${second}`, first]) {
    const load = Object.hasOwn(COMMAND_FILES, name) ? COMMAND_FILES[name] : undefined;
    if (load !== undefined) return [await load()];
  }
  return (await import('./commands/index.ts')).COMMANDS;
}

const io = processIo();
// Node would end with 1, which means a finding.
process.on('uncaughtException', (error) => process.exit(explain(error, io)));

const argv = process.argv.slice(2);
const name = basename(process.argv[1] ?? '').startsWith('kubectl-conv') ? 'kubectl conv' : 'convctl';
try {
  const code = await runProgram(argv, { name, commands: await loadCommands(argv), io });
  process.exitCode ??= code;
} catch (error) {
  process.exitCode = explain(error, io);
}
