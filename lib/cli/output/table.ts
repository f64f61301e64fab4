import { printable } from './printable.ts';

/** A cell that `paint` coloured as a whole, and cleaned. */
const ESCAPE = String.fromCharCode(27);
const PAINTED = new RegExp(`^${ESCAPE}\\[(1|2|3[1236])m(?<text>\\P{Cc}*)${ESCAPE}\\[(22|39)m$`, 'u');

/**
 * Columns of text, two spaces apart, the last one as long as it is. A cell is one line, whatever it holds.
 * @param rows the first is the header
 */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (PAINTED.test(cell) ? cell : printable(cell))));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join('  ')
      .trimEnd();
  return cells.map((row) => `${line(row)}\n`).join('');
}

/** Characters on a terminal, as far as code points tell; colours take none. */
function widthOf(cell: string): number {
  return [...(PAINTED.exec(cell)?.groups?.['text'] ?? cell)].length;
}
