/**
 * Aligns rows of cells in columns.
 */
export type Alignment = 'left' | 'right';

/** Also of an empty column. */
const MIN_WIDTH = 1;

/** Each row has one cell per alignment, without wide characters. A left-aligned last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): string[] {
  const widths = alignments.map((_, column) => Math.max(MIN_WIDTH, ...rows.map((row) => row[column].length)));
  const cell = (text: string, column: number) => {
    if (alignments[column] === 'right') return text.padStart(widths[column]);
    return column === alignments.length - 1 ? text : text.padEnd(widths[column]);
  };
  return rows.map((row) => row.map(cell).join('  '));
}
