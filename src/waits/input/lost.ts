/**
 * Whether samples were lost in a span of time: what would have to be complete there is then unknown.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { LostSpan } from '../../model/sample-table.js';
import type { Nanoseconds } from '../../model/units.js';

/** Spans that do not touch, by time. */
export interface LostSpans {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

export function lostSpansOf(lost: readonly LostSpan[]): LostSpans {
  const joined: { fromNs: Nanoseconds; toNs: Nanoseconds }[] = [];
  for (const { fromNs, toNs } of [...lost].sort((a, b) => a.fromNs - b.fromNs)) {
    const last = joined.at(-1);
    if (last && fromNs <= last.toNs) last.toNs = Math.max(last.toNs, toNs);
    else joined.push({ fromNs, toNs });
  }
  return {
    fromNs: Float64Array.from(joined, ({ fromNs }) => fromNs),
    toNs: Float64Array.from(joined, ({ toNs }) => toNs),
  };
}

export function withSpans(lost: LostSpans, others: readonly LostSpan[]): LostSpans {
  if (others.length === 0) return lost;
  return lostSpansOf([...Array.from(lost.fromNs, (fromNs, at) => ({ fromNs, toNs: lost.toNs[at] })), ...others]);
}

export function isLostWithin(lost: LostSpans, fromNs: Nanoseconds, toNs: Nanoseconds): boolean {
  const before = countAtOrBelow(lost.fromNs, toNs);
  return before > 0 && lost.toNs[before - 1] >= fromNs;
}
