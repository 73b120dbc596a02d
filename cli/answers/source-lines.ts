/**
 * The column of tables that shows where functions begin in source code.
 */
import { visibleText } from '../../src/text.js';
import type { TableColumn } from '../terminal/table.js';

interface HasLine {
  readonly srcline?: { readonly file: string; readonly line: number } | undefined;
}

/** Returns no column if no line is known. The table has the names of files without their directories; JSON has the paths. */
export function lineColumns<Row extends HasLine>(rows: readonly Row[]): TableColumn<Row>[] {
  if (!rows.some(({ srcline }) => srcline)) return [];
  return [{ title: 'line', isLeft: true, text: ({ srcline }) => (srcline ? shortLine(srcline) : ''), rank: 1 }];
}

function shortLine({ file, line }: NonNullable<HasLine['srcline']>): string {
  return visibleText(`${file.slice(file.lastIndexOf('/') + 1)}:${line}`);
}
