import type { Json } from '../../engine/json.ts';
import type { Io } from '../io.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/printable.ts';
import { renderTable } from '../output/table.ts';
import type { App } from './shapes.ts';

/** Prints one thing: as the API has it, or a line for each fact. */
export async function printFacts(
  io: Io,
  format: string,
  value: object,
  facts: readonly (readonly [string, string])[],
): Promise<void> {
  if (format === 'json') return printJson(io, value);
  if (format === 'text') {
    io.out(renderTable(facts));
    return;
  }
  // Loaded on use: it would be part of the start of every command.
  const { renderYaml } = await import('../output/yaml.ts');
  io.out(renderYaml(value as Json));
}

/** Every leaf with the keys that lead to it. */
export function flatten(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, found]: [string, unknown]): [string, string][] =>
    typeof found === 'object' && found !== null
      ? flatten(found, `${prefix}${key}.`)
      : [[`${prefix}${key}`, String(found)]],
  );
}

/** What became of the variables of an app, and when it counts. */
export function tellVariables(app: App, done: string, format: string, io: Io): void {
  const hint = app.live ? `; \`roundhouse apps restart ${app.name}\` makes it count` : '';
  if (format === 'json') printJson(io, app);
  else io.out(`${printable(`${app.name}: ${done}${hint}`)}\n`);
}
