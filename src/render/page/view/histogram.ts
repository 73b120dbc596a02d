/**
 * How long the calls of a function took, as bars.
 */
import { bucketStart, type Histogram } from '../../../model/durations.js';
import type { Nanoseconds } from '../../../model/units.js';
import { formatDuration, formatMany } from '../../format.js';

export interface Bar {
  /** A power of two, or 0. */
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
}

/** From the shortest to the longest, each twice as long as the one before; none is left out between. */
export function barsOf({ bucket, calls }: Histogram): Bar[] {
  const bars: { fromNs: number; toNs: number; calls: number }[] = [];
  for (let row = 0; row < bucket.length; row++) {
    const ns = bucketStart(bucket[row] as number);
    if (bars.length === 0) bars.push(barFrom(ns < 1 ? 0 : 2 ** Math.floor(Math.log2(ns))));
    for (let last = bars.at(-1) as Bar; ns >= last.toNs; last = bars.at(-1) as Bar) bars.push(barFrom(last.toNs));
    (bars.at(-1) as { calls: number }).calls += calls[row] as number;
  }
  return bars;
}

function barFrom(fromNs: Nanoseconds) {
  return { fromNs, toNs: Math.max(1, 2 * fromNs), calls: 0 };
}

/** As it is read aloud. */
export function barText({ fromNs, toNs, calls }: Bar): string {
  return `${formatDuration(fromNs)} to ${formatDuration(toNs)}: ${formatMany(calls, 'call')}`;
}
