import './node-20.ts';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from './exit-code.ts';
import { decodeUtf8 } from './input/files.ts';
import type { Io, Terminal } from './io.ts';
import { explain, runProgram } from './program.ts';
import { loadCommands, type Program } from './programs.ts';

/**
 * Runs the command line of this process, and sets what it ends with.
 * @param name how it was called, where that is not the program's name
 */
export async function start(program: Program, name?: string): Promise<void> {
  const io = processIo();
  // Node would end with 1, which means a finding.
  process.on('uncaughtException', (error) => process.exit(explain(error, io, program.name)));
  const argv = process.argv.slice(2);
  try {
    const commands = await loadCommands(program, argv);
    const code = await runProgram(argv, { program, ...(name !== undefined && { name }), commands, io });
    process.exitCode ??= code;
  } catch (error) {
    process.exitCode = explain(error, io, program.name);
  }
}

/** The io of a real process. */
function processIo(): Io {
  const { stdin, stderr, env } = process;
  const terminalOf = (stream: NodeJS.WriteStream): Terminal | undefined =>
    stream.isTTY ? { columns: stream.columns } : undefined;
  const [out, err] = [terminalOf(process.stdout), terminalOf(stderr)];
  const say = writerOf(stderr, () => {});
  return {
    out: writerOf(process.stdout, ({ code, message }) => {
      say(`error: cannot write the output: ${code === 'ENOSPC' ? 'the disk is full' : message}\n`);
      process.exitCode = EXIT.failure;
    }),
    err: say,
    terminal: { ...(out && { out }), ...(err && { err }) },
    colour: !env['NO_COLOR'] && (env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : out !== undefined),
    // Loaded on use: it would be part of the start of every command.
    ...(stdin.isTTY && { ask: async (...asked) => (await import('./ask.ts')).ask(stdin, say, ...asked) }),
    readStdin: async () => decodeUtf8(await buffer(stdin), 'stdin'),
    env,
    cwd: process.cwd(),
    now: () => performance.timeOrigin + performance.now(),
    wait: (ms) => sleep(ms),
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
