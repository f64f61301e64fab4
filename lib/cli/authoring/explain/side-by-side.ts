import { diffLines } from 'diff';
import type { JsonObject } from '../../../engine/json.ts';
import { parseYaml } from '../../../k8s/yaml.ts';
import type { Io } from '../../io.ts';
import { printable } from '../../output/printable.ts';
import { paint } from '../../output/style.ts';
import { renderYaml } from '../../output/yaml.ts';
import type { Explanation } from './explanation.ts';

/** Characters of one side, at most. */
const MAX_SIDE = 60;

/** The two objects beside each other, line by line; at the end of a line the rule that made it. */
export function renderSideBySide(before: JsonObject, { object, output }: Explanation, io: Io): string {
  const [left, right] = [renderYaml(before), renderYaml(object)];
  const { lineOf } = parseYaml(right)[0] ?? { lineOf: () => undefined };
  const notes = new Map<number, string>();
  for (const { path, rules } of output) {
    const line = lineOf(path);
    if (line !== undefined && rules.length > 0) notes.set(line, rules.join(', '));
  }
  const rows = pair(left, right);
  const width = Math.min(MAX_SIDE, Math.max(...rows.map(([text]) => (text ?? '').length)));
  const room = Math.min(MAX_SIDE, Math.max(...rows.map(([, text]) => (text ?? '').length)));
  let line = 0;
  return rows
    .map(([a, b]) => {
      const note = b === undefined ? undefined : notes.get(++line);
      const mark = a === b ? ' ' : a === undefined ? '>' : b === undefined ? '<' : '|';
      const row = printable(`${pad(a, width)} ${mark} ${note ? pad(b, room) : cut(b, room)}`);
      const shown = mark === ' ' ? row : paint(io, mark === '<' ? 'red' : 'green', row);
      return `${note ? `${shown}  ${paint(io, 'dim', `# ${note}`)}` : shown.trimEnd()}\n`;
    })
    .join('');
}

type Row = readonly [string | undefined, string | undefined];

/** Lines that are the same stand beside each other; what was replaced stands beside what replaced it. */
function pair(left: string, right: string): Row[] {
  const rows: Row[] = [];
  let removed: string[] = [];
  for (const { value, added, removed: gone } of diffLines(left, right)) {
    const lines = value.replace(/\n$/, '').split('\n');
    if (gone) removed = lines;
    else if (added) {
      const length = Math.max(removed.length, lines.length);
      for (let index = 0; index < length; index++) rows.push([removed[index], lines[index]]);
      removed = [];
    } else {
      rows.push(...removed.map((line): Row => [line, undefined]), ...lines.map((line): Row => [line, line]));
      removed = [];
    }
  }
  return [...rows, ...removed.map((line): Row => [line, undefined])];
}

function cut(text = '', width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

function pad(text: string | undefined, width: number): string {
  return cut(text, width).padEnd(width);
}
