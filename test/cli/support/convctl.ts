import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { COMMANDS } from '../../../lib/cli/commands/index.ts';
import type { Io } from '../../../lib/cli/io.ts';
import { runProgram } from '../../../lib/cli/program.ts';

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder with files, in which command lines of convctl run in this process; nothing is on a terminal. */
export interface CliSandbox {
  readonly folder: string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly run: (argv: readonly string[], more?: Partial<Io> & { stdin?: string }) => Promise<CliRun>;
  readonly remove: () => void;
}

export function openCliSandbox(files: Readonly<Record<string, string>> = {}): CliSandbox {
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
        ...more,
      };
      const code = await runProgram(argv, { name: 'convctl', commands: COMMANDS, io });
      return { code, out, err };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
