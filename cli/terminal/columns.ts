/**
 * Rows of text → lines whose columns stand below each other.
 */
export type Alignment = 'left' | 'right';

/** Also of a column in which nothing stands. */
const LEAST_WIDTH = 1;

/** Every row has a cell for each alignment, of characters as wide as one; a last column that stands left is not padded. */
export function inColumns(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): string[] {
  const widths = alignments.map((_, column) => Math.max(LEAST_WIDTH, ...rows.map((row) => row[column].length)));
  const cell = (text: string, column: number) => {
    if (alignments[column] === 'right') return text.padStart(widths[column]);
    return column === alignments.length - 1 ? text : text.padEnd(widths[column]);
  };
  return rows.map((row) => row.map(cell).join('  '));
}
