/**
 * Numbers in the cells of tables.
 */
import { formatCalls, formatCount, formatDuration, formatLongest, formatShare } from '../../src/text.js';

/** What is not known. */
export const NOTHING = '–';

export function durationCell(ns: number | null): string {
  return ns === null ? NOTHING : formatDuration(ns);
}

export function shareCell(part: number, all: number): string {
  return all > 0 ? formatShare(part, all) : NOTHING;
}

/** "9 of 12" calls whole, the others cut. */
export function callsCell({ calls, inferred }: { readonly calls: number; readonly inferred: number }): string {
  return formatCalls(calls, inferred);
}

/** "3 ms"; "≥ 5 ms" if the longest call was cut. */
export function longestCell(call: { readonly maxNs: number | null; readonly longestCutNs: number | null }): string {
  return formatLongest(call.maxNs, call.longestCutNs);
}

/** "+1.5 ms", "−20 ns". */
export function differenceCell(ns: number): string {
  const text = formatDuration(Math.abs(ns));
  return ns === 0 ? '0 ns' : ns > 0 ? `+${text}` : `−${text}`;
}

/** "1.3" of a call, "1,204" of many. */
export function averageCountCell(count: number): string {
  return count >= 100 || Number.isInteger(count)
    ? formatCount(Math.round(count))
    : String(Number(count.toPrecision(2)));
}
