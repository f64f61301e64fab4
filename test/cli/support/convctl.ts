import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io } from '../../../lib/cli/io.ts';
import { runProgram } from '../../../lib/cli/program.ts';
import type { Program } from '../../../lib/cli/programs.ts';
import { COMMANDS, PROGRAMS } from './commands.ts';

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder with files, in which command lines run in this process; nothing is on a terminal, and waiting takes no time. */
export interface CliSandbox {
  readonly folder: string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly run: (argv: readonly string[], more?: Partial<Io> & { stdin?: string }) => Promise<CliRun>;
  readonly remove: () => void;
}

export function openCliSandbox(
  files: Readonly<Record<string, string>> = {},
  name: Program['name'] = 'convctl',
): CliSandbox {
  const folder = mkdtempSync(join(tmpdir(), 'convctl-'));
  const write: CliSandbox['write'] = (more) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  write(files);
  return {
    folder,
    write,
    async run(argv, { stdin = '', ...more } = {}) {
      let [out, err] = ['', ''];
      const io: Io = {
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
        terminal: {},
        colour: false,
        readStdin: async () => stdin,
        env: {},
        cwd: folder,
        now: () => 0,
        wait: async () => {},
        ...more,
      };
      const code = await runProgram(argv, { program: PROGRAMS[name], commands: COMMANDS[name], io });
      return { code, out, err };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
