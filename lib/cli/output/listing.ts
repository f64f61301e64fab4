import type { Json } from '../../engine/json.ts';
import type { Flag } from '../command.ts';
import type { Io } from '../io.ts';
import { printJson } from './json.ts';
import { printable } from './printable.ts';
import { renderTable } from './table.ts';

/** `-o` of the commands that show things of one kind. */
export const LISTING_FLAG = {
  short: 'o',
  value: 'FORMAT',
  default: 'table',
  choices: ['table', 'wide', 'json', 'yaml', 'name'],
  summary: 'how to print; wide is a table with more columns',
} as const satisfies Flag;

export interface Listing<T> {
  /** Header and cell. */
  readonly columns: readonly Column<T>[];
  /** What `-o name` prints of each. */
  readonly name: (item: T) => string;
  /** How there being none is said: `no endpoints`. */
  readonly none: string;
}

interface Column<T> {
  readonly header: string;
  readonly cell: (item: T) => string;
  /** Shown by `-o wide` only. */
  readonly wide?: boolean;
}

/** Prints a list: the same data in every form; in JSON and YAML under `items`, whole. */
export async function printListing<T>(io: Io, format: string, items: readonly T[], listing: Listing<T>): Promise<void> {
  if (format === 'json' || format === 'yaml') return printData(io, format, { items });
  if (items.length === 0) io.err(`${listing.none}\n`);
  else printRows(io, format, items, listing);
}

/** The same for one thing: in JSON and YAML the thing itself. */
export async function printOne<T>(io: Io, format: string, item: T, listing: Listing<T>): Promise<void> {
  if (format === 'json' || format === 'yaml') return printData(io, format, item);
  printRows(io, format, [item], listing);
}

async function printData(io: Io, format: 'json' | 'yaml', value: unknown): Promise<void> {
  if (format === 'json') return printJson(io, value);
  // Loaded on use: it would be part of the start of every command.
  const { renderYaml } = await import('./yaml.ts');
  io.out(renderYaml(value as Json));
}

function printRows<T>(io: Io, format: string, items: readonly T[], { columns, name }: Listing<T>): void {
  if (format === 'name') {
    io.out(items.map((item) => `${printable(name(item))}\n`).join(''));
    return;
  }
  const shown = columns.filter(({ wide }) => !wide || format === 'wide');
  io.out(renderTable([shown.map(({ header }) => header), ...items.map((item) => shown.map(({ cell }) => cell(item)))]));
}
