import pkg from '../../../package.json' with { type: 'json' };
import { strategies } from '../../engine/strategies/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';

export const version = defineCommand({
  name: 'version',
  group: 'Other',
  summary: 'print the version of convctl',
  flags: {
    output: { short: 'o', value: 'FORMAT', default: 'text', choices: ['text', 'json'], summary: 'how to print' },
  },
  examples: [{ what: 'For a script', command: 'version -o json' }],
  async run({ flags }, { out }) {
    const facts = { version: pkg.version, node: process.versions.node, strategies: strategies.length };
    out(flags.output === 'json' ? `${JSON.stringify(facts, null, 2)}\n` : `${pkg.version}\n`);
    return EXIT.ok;
  },
});
