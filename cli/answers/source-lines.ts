/**
 * Where functions begin in source code, in tables and in comma-separated values.
 */
import { visibleText } from '../../src/render/visible-text.js';
import type { TableColumn } from '../terminal/table.js';

export interface HasLine {
  readonly srcline?: { readonly file: string; readonly line: number } | undefined;
}

/** Returns no column if no line is known. The table has the names of files without their directories; JSON has the paths. */
export function lineColumns<Row extends HasLine>(rows: readonly Row[]): TableColumn<Row>[] {
  if (!rows.some(({ srcline }) => srcline)) return [];
  return [{ title: 'line', isLeft: true, text: ({ srcline }) => (srcline ? shortLine(srcline) : ''), rank: 1 }];
}

/** Columns of comma-separated values. */
export const LINE_TITLES = ['file', 'line'] as const;

export function lineCells({ srcline }: HasLine): readonly [file: string | null, line: number | null] {
  return [srcline?.file ?? null, srcline?.line ?? null];
}

/** "/src/plain.c:11". */
export function fullLine({ srcline }: HasLine): string | null {
  return srcline ? visibleText(`${srcline.file}:${srcline.line}`) : null;
}

function shortLine({ file, line }: NonNullable<HasLine['srcline']>): string {
  return visibleText(`${file.slice(file.lastIndexOf('/') + 1)}:${line}`);
}
