/**
 * Columns of text, two spaces apart, the last one as long as it is. Cells of several lines are not expected.
 * @param rows the first is the header
 */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

const SEQUENCES = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Characters on a terminal, as far as code points tell; colours take none. */
function widthOf(text: string): number {
  return [...text.replace(SEQUENCES, '')].length;
}
