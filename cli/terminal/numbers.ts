/**
 * Numbers in the cells of tables.
 */
import { formatCount, formatDuration, formatShare } from '../../src/text.js';

/** What is not known. */
export const NOTHING = '–';

export function durationCell(ns: number | null): string {
  return ns === null ? NOTHING : formatDuration(ns);
}

export function shareCell(part: number, all: number): string {
  return all > 0 ? formatShare(part, all) : NOTHING;
}

/** "12 (3)": three of them inferred. */
export function callsCell({ calls, inferred }: { readonly calls: number; readonly inferred: number }): string {
  return formatCount(calls) + (inferred > 0 ? ` (${formatCount(inferred)})` : '');
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
