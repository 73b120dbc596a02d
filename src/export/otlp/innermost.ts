/**
 * Finds the call in which something happened.
 */
import type { RequestSpan } from '../../answers/requests/schema.js';
import type { Nanoseconds } from '../../model/units.js';

/** `spans`: callers before what they called. Returns the row of the innermost call at a time; -1: none was open. */
export function innermostAt(spans: readonly RequestSpan[], ns: Nanoseconds): number {
  let depth = Number.POSITIVE_INFINITY;
  for (let row = begunBy(spans, ns) - 1; row >= 0 && depth > 0; row--) {
    const { depth: own, startNs, durationNs } = spans[row];
    if (own >= depth) continue; // a sibling that ended before, or a call in it
    if (ns < startNs + durationNs) return row;
    depth = own;
  }
  return -1;
}

function begunBy(spans: readonly RequestSpan[], ns: Nanoseconds): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle].startNs <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}
