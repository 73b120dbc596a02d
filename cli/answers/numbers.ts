/**
 * Formats numbers for cells of tables.
 */
export { formatAverageCount as averageCountCell, formatDifference as differenceCell } from '../../src/render/format.js';

import {
  formatCalls,
  formatDuration,
  formatLongest,
  formatPercentile,
  formatShare,
  type PercentileRange,
} from '../../src/render/format.js';

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
