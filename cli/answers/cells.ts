/**
 * What the texts of several answers share: the head, cells of tables, where functions begin in source code.
 */

import { byTime } from '../../src/model/calls/doubts.js';
import { filesBehindNames } from '../../src/model/symbol-table.js';
import type { Report } from '../../src/questions/report/schema.js';
import type { WaitsAnswer } from '../../src/questions/waits/schema.js';
import {
  formatCalls,
  formatCount,
  formatDuration,
  formatLongest,
  formatMany,
  formatPercentile,
  formatShare,
  type PercentileRange,
  threadNoun,
} from '../../src/render/format.js';
import { inferredText } from '../../src/render/quality-summary.js';
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

/** Formats at most `top` rows (0: all), and a line with the number of rows left out. */
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
  const fileOf = new Map<string, string>();
  for (const [row, suffix] of suffixes.entries()) if (suffix !== '') fileOf.set(functionKey(functions[row]), suffix);
  if (fileOf.size === 0) return ({ name }) => name;
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
export function percentileCell<Key extends string>(key: Key, part: number) {
  return (row: PercentileRange & Readonly<Record<Key, number | null>>): string => formatPercentile(row[key], row, part);
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

/** Returns the head of every answer: totals, bounds and selection. */
export function traceLines(trace: Report['trace'], quality: Report['quality']): string[] {
  const { start, durationNs, threads, totalNs, outsideNs, offCpuNs, hasSwitches, isBlockedTime, part, merged } = trace;
  const outside = `${shareCell(outsideNs, totalNs)} outside traced code`;
  const offCpu = hasSwitches
    ? `, ${shareCell(offCpuNs, totalNs)} off CPU`
    : `; without switch records, traced time is a lower bound of on-CPU time${switchesRemedyText(quality)}`;
  const when = merged
    ? `, ${formatMany(merged.recordings, 'recording')} added up`
    : ` in ${formatDuration(durationNs)} from ${start}`;
  return [
    `${formatDuration(totalNs)} of ${formatMany(threads, threadNoun(trace))}${when}${isBlockedTime ? '' : `: ${outside}${offCpu}`}`,
    ...(part === null ? [] : [`only ${visibleText(part)}`]),
    ...inferredLine(quality),
  ];
}

/** Less than this share is not worth a line. */
const SHOWN_SHARE = 0.001;

function inferredLine(quality: Report['quality']): string[] {
  const { inferredBy, totalNs } = quality;
  const times = inferredBy && byTime(inferredBy).map(([doubt, ns]) => ({ doubt, ns, remedy: null }));
  const ns = times?.reduce((sum, time) => sum + (time.doubt === 'Lost' ? 0 : time.ns), 0) ?? 0;
  const text = times && ns >= SHOWN_SHARE * totalNs ? inferredText(quality, times) : null;
  return text === null ? [] : [text];
}

/** Profiles of older versions have no remedy for missing switch records. */
function switchesRemedyText({ remedies }: Report['quality']): string {
  return remedies?.switches ? `: ${remedies.switches}` : '';
}

/**
 * Returns the columns of comma-separated values: those of the first version in their order, as columns keep their
 * positions, then all later ones.
 */
export function csvColumns<Key extends string>(first: string, all: readonly Key[]): Key[] {
  const old = first.split(' ') as Key[];
  return [...old, ...all.filter((key) => !old.includes(key))];
}
