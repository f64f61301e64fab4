import type { Json } from '../../../engine/json.ts';
import { pathText } from '../../../engine/values/path-text.ts';
import { stringifyJson } from '../../../k8s/json.ts';
import type { Io } from '../../io.ts';
import { printable } from '../../output/printable.ts';
import { paint } from '../../output/style.ts';
import { renderTable } from '../../output/table.ts';
import type { Explanation, Fate, Origin } from './explanation.ts';

/** Characters of a value in a table; JSON output has the whole of it. */
const MAX_VALUE = 32;

/** JSON of an explanation: paths as texts. */
export function explanationJson({ from, hub, to, object, output, input, wayBack }: Explanation) {
  return {
    from,
    hub,
    to,
    object,
    output: output.map(({ path, value, from: sources, how, rules }) => {
      return { path: pathText(path), value, from: sources.map(pathText), how, rules };
    }),
    input: input.map(({ path, value, to: places, rules, returns }) => {
      const back = returns?.value === undefined ? {} : { returned: returns.value };
      return { path: pathText(path), value, to: places.map(pathText), rules, comesBack: !returns, ...back };
    }),
    ...(wayBack !== undefined && { wayBack }),
  };
}

/** Two tables, one for each object, and a line for each loss. */
export function renderExplanation(explanation: Explanation, io: Io): string {
  const { from, hub, to, output, input, wayBack } = explanation;
  const through = from === hub || to === hub || from === to ? '' : `, by way of the hub ${hub}`;
  const origins = output.map((origin) => [pathText(origin.path), show(origin.value), sources(origin), by(io, origin)]);
  const fates = input.map((fate) => [
    pathText(fate.path),
    places(io, fate),
    comesBack(io, fate),
    fate.rules.join(', '),
  ]);
  const losses = input.filter(({ returns }) => returns !== undefined).map(lossLine);
  return [
    `${from} → ${to}${through}\n`,
    renderTable([['OUTPUT FIELD', 'VALUE', 'FROM', 'BY'], ...origins]),
    renderTable([['INPUT FIELD', 'WENT TO', 'COMES BACK', 'BY'], ...fates]),
    wayBack === undefined ? lossText(losses) : `The way back fails: ${printable(wayBack)}\n`,
  ].join('\n');
}

function lossText(losses: readonly string[]): string {
  return losses.length === 0 ? 'Nothing is lost on the way there and back.\n' : `LOST OR CHANGED\n${losses.join('')}`;
}

function lossLine({ path, value, rules, returns }: Fate): string {
  const what =
    returns?.value === undefined ? `${show(value)} is lost` : `${show(value)} returns as ${show(returns.value)}`;
  return `${printable(`${pathText(path)}: ${what}: ${rules.join(', ') || 'no rule takes it along'}`)}\n`;
}

function sources({ from }: Origin): string {
  return from.map(pathText).join(', ') || '-';
}

function by(io: Io, { how, rules }: Origin): string {
  if (how === 'rule') return rules.join(', ');
  return paint(io, 'dim', how === 'version' ? 'the version asked for' : how);
}

function places(io: Io, { to }: Fate): string {
  return to.map(pathText).join(', ') || paint(io, 'yellow', '(nowhere)');
}

function comesBack(io: Io, { returns }: Fate): string {
  if (returns === undefined) return 'yes';
  return paint(io, 'yellow', returns.value === undefined ? 'no' : `as ${show(returns.value)}`);
}

function show(value: Json): string {
  const text = stringifyJson(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}
