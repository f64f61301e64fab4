/**
 * Scripts: what a person types and sees. Each step is a line `$ convctl …` (words are split at spaces, quotes keep them),
 * its output on stdout as it is, on stderr with `! ` before each line, and `? N` when it does not end with 0. Lines
 * before the first step are comment. Files follow, each after a line `-- NAME --`; `< NAME` in a command is stdin.
 */
export interface Script {
  readonly comment: string;
  readonly steps: readonly string[];
  /** From the first `-- NAME --` on, as it is. */
  readonly tail: string;
  readonly files: Readonly<Record<string, string>>;
}

const FILE = /^-- (\S+) --$/;

export function parseScript(text: string): Script {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => FILE.test(line));
  const head = end === -1 ? lines : lines.slice(0, end);
  const first = head.findIndex((line) => line.startsWith('$ '));
  return {
    comment: head.slice(0, first).join('\n'),
    steps: head.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)),
    tail: end === -1 ? '' : lines.slice(end).join('\n'),
    files: end === -1 ? {} : parseFiles(lines.slice(end)),
  };
}

function parseFiles(lines: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {};
  let name = '';
  for (const line of lines) {
    const found = FILE.exec(line)?.[1];
    if (found === undefined) files[name] = `${files[name]}${line}\n`;
    else {
      name = found;
      files[name] = '';
    }
  }
  return Object.fromEntries(Object.entries(files).map(([key, content]) => [key, content.replace(/\n+$/, '\n')]));
}

/** Words of a command line as a shell splits them, as far as scripts need it. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

export interface Outcome {
  readonly step: string;
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The script again, with what came of its steps. */
export function renderScript({ comment, tail }: Script, outcomes: readonly Outcome[]): string {
  const steps = outcomes.map(({ step, code, out, err }) => {
    const said =
      err === ''
        ? []
        : err
            .replace(/\n$/, '')
            .split('\n')
            .map((line) => `! ${line}`.trimEnd());
    return [
      `$ ${step}`,
      ...(out === '' ? [] : [out.replace(/\n$/, '')]),
      ...said,
      ...(code === 0 ? [] : [`? ${code}`]),
    ].join('\n');
  });
  return [...(comment === '' ? [] : [comment]), steps.join('\n\n'), ...(tail === '' ? [''] : ['', tail])].join('\n');
}
