import { expect, test } from 'vitest';
import type { Command, Flag } from '../../lib/cli/command.ts';
import { GROUPS } from '../../lib/cli/command.ts';
import { COMMANDS } from '../../lib/cli/commands/index.ts';
import { longName } from '../../lib/cli/completion.ts';

const INTRODUCTION = `# convctl

Made from the commands in \`lib/cli/commands/\` by their test (\`npx vitest run -u docs\` writes it again). To learn it,
start with the [tutorial](convctl-tutorial.md).

\`npm run build:cli\` bundles convctl to one file, \`dist/cli/convctl.js\`, which needs Node.js 22 or newer and nothing
else (with 20 all works but integers beyond 2^53 in JSON, which are refused; \`HTTPS_PROXY\` needs 24.5). \`npx .\` runs it in a clone, \`npm link\`
puts \`convctl\` and \`kubectl-conv\` into the PATH, and \`npm pack\` makes a tarball that \`npm install -g\` takes. With
\`kubectl-conv\` in the PATH every command is one of kubectl too: \`kubectl conv validate …\`.

Data goes to stdout and everything else to stderr; colours are for terminals, unless \`NO_COLOR\` is set. \`-\` as a file
is standard input. JSON has all integers exactly.

## Exit codes

| Code | Means |
|---|---|
| 0 | done, and nothing was found |
| 1 | done, and something was found: errors of a config, a loss, a difference, an object that failed |
| 2 | not done: wrong usage, or a file, a cluster or a server that cannot be read |

Warnings alone are no finding.

## Completion

\`convctl completion bash|zsh|fish|powershell\` prints a script; its help says where to put it. kubectl completes
\`kubectl conv\` when an executable file \`kubectl_complete-conv\` is in the PATH, which is:

\`\`\`sh
#!/bin/sh
exec kubectl conv __complete "$@"
\`\`\`

## Findings

\`validate\` and \`analyze\` print findings as compilers do; [diagnostics.md](diagnostics.md) says what each code means.
With \`-o json\` there is one report for one config (\`-c FILE\`), and \`{"configs": [...]}\` for folders and \`-f\`. With
\`-o github\` they are annotations of a workflow, with \`-o sarif\` a log for code scanning:

\`\`\`yaml
- run: npx convctl analyze -f deploy/ -o sarif > convctl.sarif
- uses: github/codeql-action/upload-sarif@v3
  if: always()
  with: { sarif_file: convctl.sarif }
\`\`\`
`;

test('docs/convctl.md has every command', async () => {
  const groups = GROUPS.map((group) => {
    const commands = COMMANDS.filter((command) => command.group === group);
    return commands.length === 0 ? '' : `\n## ${group}\n${commands.map(renderCommand).join('')}`;
  });
  await expect(`${INTRODUCTION}${groups.join('')}`).toMatchFileSnapshot('../../docs/convctl.md');
});

function renderCommand({ name, summary, description, args = {}, flags, oneOf = [], examples }: Command): string {
  const shown = Object.entries(args).map(([key, { required }]) => (required ? ` <${key}>` : ` [${key}]`));
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const rows = [
    ...Object.entries(args).map(([key, { summary: text }]) => `| \`${key}\` | ${cell(text)} |`),
    ...Object.entries(flags).map(([key, flag]) => `| ${option(key, flag)} | ${cell(meaning(flag))} |`),
  ];
  const rules = oneOf.map(({ flags: keys, required }) => {
    return `${required ? 'Exactly one' : 'At most one'} of ${keys.map((key) => `\`${longName(key)}\``).join(', ')}.`;
  });
  const lines = examples.map(({ what, command }) => `# ${what}\nconvctl ${command}`).join('\n\n');
  return [
    `\n### convctl ${name}${shown.join('')}\n\n${sentence}${description ? ` ${description}` : ''}\n`,
    rows.length > 0 ? `\n| Argument or flag | Meaning |\n|---|---|\n${rows.join('\n')}\n` : '',
    rules.length > 0 ? `\n${rules.join(' ')}\n` : '',
    `\n\`\`\`sh\n${lines}\n\`\`\`\n`,
  ].join('');
}

function option(key: string, { short, value }: Flag): string {
  return `\`${short ? `-${short}, ` : ''}${longName(key)}${value ? ` ${value}` : ''}\``;
}

function meaning({ summary, required, default: preset, choices, repeat }: Flag): string {
  const notes = [
    required ? 'required' : '',
    choices ? `one of ${choices.map((choice) => `\`${choice}\``).join(', ')}` : '',
    preset === undefined ? '' : `\`${preset}\` when left out`,
    repeat ? 'may be repeated' : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? summary : `${summary} (${notes.join('; ')})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
