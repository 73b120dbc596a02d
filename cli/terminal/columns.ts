/**
 * Rows of text → lines whose columns stand below each other.
 */
export type Alignment = 'left' | 'right';

/** Every row has a cell for each alignment; a last column that stands left is not padded. */
export function inColumns(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): string[] {
  const widths = alignments.map((_, column) => Math.max(0, ...rows.map((row) => (row[column] as string).length)));
  const cell = (text: string, column: number) => {
    if (alignments[column] === 'right') return text.padStart(widths[column] as number);
    return column === alignments.length - 1 ? text : text.padEnd(widths[column] as number);
  };
  return rows.map((row) => row.map(cell).join('  '));
}
