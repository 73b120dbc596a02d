/**
 * Where functions begin in source code, in tables and in comma-separated values.
 */

import { filesBehindNames } from '../../src/model/names/distinct-names.js';
import type { WaitsAnswer } from '../../src/questions/waits/schema.js';
import {
  formatCalls,
  formatCount,
  formatDuration,
  formatLongest,
  formatPercentile,
  formatShare,
  type PercentileRange,
} from '../../src/render/format.js';
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

/**
 * Formats the first rows of a long table and the number of the others.
 *
 * Formats at most `top` rows (0: all), and a line with the number of rows left out.
 */
export function topLines<Row>(rows: readonly Row[], top: number, table: (rows: readonly Row[]) => string[]): string[] {
  const shown = top === 0 ? rows : rows.slice(0, top);
  const left = rows.length - shown.length;
  return [...table(shown), ...(left > 0 ? [`${UNKNOWN} and ${formatCount(left)} more: --top ${rows.length}`] : [])];
}

interface Named {
  readonly name: string;
  readonly dso: string | null;
}

/**
 * Names functions for tables: equal names of different binaries get their binary appended.
 *
 * Returns a function that names these functions.
 */
export function distinctNames(functions: readonly Named[]): (named: Named) => string {
  const suffixes = filesBehindNames(functions);
  const fileOf = new Map(functions.map((named, row) => [functionKey(named), suffixes[row]]));
  return (named) => named.name + (fileOf.get(functionKey(named)) ?? '');
}

/** Returns an equal text for equal functions of the same binary. */
export function functionKey({ name, dso }: Named): string {
  return `${dso}\n${name}`;
}

/** Formats what a recording lacks for an answer about waits. */
export function missingLines(missing: WaitsAnswer['missing']): string[] {
  return missing.map(({ what, remedy }) => `note: ${visibleText(what)}${remedy === null ? '' : `; ${remedy}`}`);
}

/** Formats numbers for cells of tables. */
export const UNKNOWN = '–';

export function durationCell(ns: number | null): string {
  return ns === null ? UNKNOWN : formatDuration(ns);
}

/** Returns the cell of a percentile of calls: "≈ 3 ms". */
export function percentileCell<Key extends string>(key: Key) {
  return (row: PercentileRange & Readonly<Record<Key, number | null>>): string => formatPercentile(row[key], row);
}

export function shareCell(part: number, all: number): string {
  return all > 0 ? formatShare(part, all) : UNKNOWN;
}

/** "9 of 12": 9 complete calls, 3 inferred. */
export function callsCell({ calls, inferred }: { readonly calls: number; readonly inferred: number }): string {
  return formatCalls(calls, inferred);
}

/** "3 ms"; "≥ 5 ms" if the longest call is inferred. */
export function longestCell(call: { readonly maxNs: number | null; readonly longestCutNs: number | null }): string {
  return formatLongest(call.maxNs, call.longestCutNs);
}
