import { expect, test } from 'vitest';
import type { Command, Flag } from '../../lib/cli/command.ts';
import { longName } from '../../lib/cli/completion.ts';
import { argumentForm } from '../../lib/cli/program.ts';
import type { Program } from '../../lib/cli/programs.ts';
import { COMMANDS, PROGRAMS } from './support/commands.ts';

const CONVCTL = `# convctl

Made from the commands in \`lib/cli/commands/\` by their test (\`npx vitest run -u docs\` writes it again). To learn it,
start with the [tutorial](convctl-tutorial.md).

\`npm run build:cli\` bundles convctl to one file, \`dist/cli/convctl.js\`, which needs Node.js 22 or newer and nothing
else (with 20 all works but integers beyond 2^53 in JSON, which are refused; \`HTTPS_PROXY\` needs 24.5). \`npx convctl\`
runs it in a clone, \`npm link\` puts \`convctl\` and \`kubectl-conv\` into the PATH, and \`npm pack\` makes a tarball that \`npm install -g\` takes. With
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

const ROUNDHOUSE = `# roundhouse

Made from the commands in \`lib/cli/apps/commands/\` by their test (\`npx vitest run -u docs\` writes it again).

\`roundhouse\` deploys and runs the apps of a Roundhouse. \`npm run build:cli\` bundles it to one file,
\`dist/cli/roundhouse.js\`, which needs Node.js 20 or newer and nothing else (\`HTTPS_PROXY\` needs 24.5). \`npx roundhouse\`
runs it in a clone, \`npm link\` puts it into the PATH, and \`npm pack\` makes a tarball that \`npm install -g\` takes.

\`roundhouse login\` keeps an address and a token as a context; \`convctl\` has the same ones ([convctl.md](convctl.md)). Data
goes to stdout and everything else to stderr; colours are for terminals, unless \`NO_COLOR\` is set. Times are UTC. With
\`-o json\` there is what the API answers, lists under \`items\`.

## Exit codes

| Code | Means |
|---|---|
| 0 | done, and all is well |
| 1 | done, and something was found: a deploy that failed or was broken off, a failed deploy in a list, something left over, not connected or not healthy |
| 2 | not done: wrong usage, a folder or file that cannot be read, or a server that does not answer or refuses |

\`doctor\` has codes of its own:

| Code | Means |
|---|---|
| 0 | all is well, or there are warnings only |
| 1 | warnings, with \`--strict\` |
| 2 | something fails |
| 3 | it could not look: wrong usage, or no answer |

## What a package is

\`apps deploy NAME DIR\` packs the files of a folder as a zip. The same files give the same bytes, on every machine: times,
owners and modes do not count, but for the bit that makes a program. A link counts as what it leads to; one that leads out
of the folder is refused, and so is a folder of more than 250 MB.

\`.git\`, \`.hg\`, \`.svn\`, \`.DS_Store\`, \`.env\` and \`.env.*\` stay out, and what a file \`.roundhouseignore\` in the folder
names, with the patterns of \`.gitignore\`. A line \`!.env\` takes in what would stay out.

With \`--create\` an app that is not there is made first, as \`app.json\` in the folder has it: an app as the API takes it,
without name and image.
`;

test.each([
  [PROGRAMS.convctl, CONVCTL],
  [PROGRAMS.roundhouse, ROUNDHOUSE],
])('docs/$name.md has every command', async (program, introduction) => {
  const groups = program.groups.map((group) => {
    const commands = COMMANDS[program.name].filter((command) => command.group === group);
    return commands.length === 0 ? '' : `\n## ${group}\n${commands.map((one) => renderCommand(one, program)).join('')}`;
  });
  await expect(`${introduction}${groups.join('')}`).toMatchFileSnapshot(`../../docs/${program.name}.md`);
});

function renderCommand(
  { name, summary, description, args = {}, flags, oneOf = [], examples }: Command,
  { name: program }: Program,
): string {
  const shown = Object.entries(args).map(([key, argument]) => ` ${argumentForm(key, argument)}`);
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const rows = [
    ...Object.entries(args).map(([key, { summary: text }]) => `| \`${key}\` | ${cell(text)} |`),
    ...Object.entries(flags).map(([key, flag]) => `| ${option(key, flag)} | ${cell(meaning(flag))} |`),
  ];
  const rules = oneOf.map(({ flags: keys, required }) => {
    return `${required ? 'Exactly one' : 'At most one'} of ${keys.map((key) => `\`${longName(key)}\``).join(', ')}.`;
  });
  const lines = examples.map(({ what, command }) => `# ${what}\n${program} ${command}`).join('\n\n');
  return [
    `\n### ${program} ${name}${shown.join('')}\n\n${sentence}${description ? ` ${description}` : ''}\n`,
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
