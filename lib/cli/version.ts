import pkg from '../../package.json' with { type: 'json' };
import { type Command, defineCommand } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { Program } from './programs.ts';

/** @param facts what else `-o json` tells */
export function versionCommand(name: Program['name'], facts: Readonly<Record<string, number>> = {}): Command {
  return defineCommand({
    name: 'version',
    group: 'Other',
    summary: `print the version of ${name}`,
    flags: {
      output: { short: 'o', value: 'FORMAT', default: 'text', choices: ['text', 'json'], summary: 'how to print' },
    },
    examples: [{ what: 'For a script', command: 'version -o json' }],
    async run({ flags }, { out }) {
      const all = { version: pkg.version, node: process.versions.node, ...facts };
      out(flags.output === 'json' ? `${JSON.stringify(all, null, 2)}\n` : `${pkg.version}\n`);
      return EXIT.ok;
    },
  });
}
