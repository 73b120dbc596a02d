/**
 * Finds the span in which something happened.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { PartSpan } from './part-spans.js';

type Span = Pick<PartSpan, 'parent' | 'startNs' | 'endNs'>;

/** `spans`: of one part. Returns the row of the innermost one at a time; the part itself (0) if no call was open. */
export function innermostAt(spans: readonly Span[], ns: Nanoseconds): number {
  let row = Math.max(0, begunBy(spans, ns) - 1);
  while (row > 0 && ns >= spans[row].endNs) row = spans[row].parent;
  return row;
}

function begunBy(spans: readonly Span[], ns: Nanoseconds): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle].startNs <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}
