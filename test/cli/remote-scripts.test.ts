import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliSandbox, openCliSandbox } from './support/convctl.ts';
import { startRoundhouse, type TestRoundhouse, TOKENS } from './support/roundhouse.ts';
import { parseScript, renderScript, type Script, splitWords } from './support/script.ts';

const folder = join(import.meta.dirname, 'remote-scripts');
const scripts = readdirSync(folder).filter((name) => name.endsWith('.txt'));

/**
 * As the scripts of the offline commands, with a server: SERVER is its address, `NAME=value` before the program is the
 * environment, the files root, reader, writer and deployer hold tokens, and a new token is shown as PATH-TOKEN or TOKEN.
 *
 * `$ worker APP STEP…` says what the worker does while a command waits, one thing at a time: a step of a deploy, `succeed`,
 * `fail`, `rest`; `$ worker APP now STEP…` does it at once.
 */
test.each(scripts)('%s prints what it shows (-u writes it)', async (name) => {
  const file = join(folder, name);
  const script = parseScript(readFileSync(file, 'utf8'));
  const server = await startRoundhouse();
  const sandboxes = openSandboxes({ ...script.files, ...TOKENS });
  const { folder: place } = sandboxes.convctl;
  const plain = (text: string) =>
    text
      .replaceAll(place, 'FOLDER')
      .replaceAll(server.url, 'SERVER')
      .replaceAll(new URL(server.url).host, 'HOST')
      .replaceAll(/^[\w-]{32}$/gm, 'PATH-TOKEN')
      .replaceAll(/"token": "[\w-]{32}"/g, '"token": "PATH-TOKEN"')
      .replaceAll(/rht_[\w-]{43}/g, 'TOKEN');
  try {
    const outcomes = [];
    for (const step of script.steps) {
      const { code, out, err } = await runStep(step, script, server, sandboxes);
      // Right tokens, wrong ones, and those at a wrong place all have this word in them; secrets have it too.
      expect(out + err).not.toContain('canary');
      outcomes.push({ step, code, out: plain(out), err: plain(err) });
    }
    await expect(renderScript(script, outcomes)).toMatchFileSnapshot(file);
  } finally {
    sandboxes.remove();
    await server.close();
  }
});

type Sandboxes = ReturnType<typeof openSandboxes>;

/** Both programs in one folder. */
function openSandboxes(files: Readonly<Record<string, string>>) {
  const convctl = openCliSandbox(files);
  const other = openCliSandbox({}, 'roundhouse');
  const roundhouse: CliSandbox = {
    ...other,
    run: (argv, more) => other.run(argv, { cwd: convctl.folder, ...more }),
  };
  const remove = () => {
    convctl.remove();
    other.remove();
  };
  return { convctl, roundhouse, remove };
}

async function runStep(step: string, { files }: Script, server: TestRoundhouse, sandboxes: Sandboxes) {
  const words = splitWords(step.replaceAll('SERVER', server.url));
  const start = words.findIndex((word) => /^(convctl|roundhouse|worker)$/.test(word));
  const program = words[start] as 'convctl' | 'roundhouse' | 'worker';
  if (program === 'worker') return await work(words.slice(start + 1), server);
  const env = Object.fromEntries(words.slice(0, start).map((word) => word.split('=')));
  const input = words.indexOf('<');
  const argv = words.slice(start + 1, input === -1 ? undefined : input);
  const stdin = input === -1 ? '' : ({ ...files, ...TOKENS }[words[input + 1] as string] ?? '');
  const now = server.appBench.clock.now;
  const wait = (ms: number) => server.worker.next(ms);
  return await sandboxes[program].run(argv, { stdin, now, wait, env: { HOME: sandboxes.convctl.folder, ...env } });
}

async function work([app = '', ...actions]: readonly string[], { worker }: TestRoundhouse) {
  if (actions[0] !== 'now') worker.plan(app, actions);
  else for (const action of actions.slice(1)) await worker.act(app, action);
  return { code: 0, out: '', err: '' };
}
