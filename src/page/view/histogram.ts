/**
 * Groups the durations of calls into the bars of a histogram.
 */
import { bucketMiddle, bucketStart, type Histogram } from '../../model/calls/durations.js';
import type { Nanoseconds } from '../../model/units.js';
import { formatDuration, formatMany } from '../../render/format.js';

export interface Bar {
  /** A power of two, or 0. */
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
  /** Total time of the calls, accurate to 1.6 %. */
  readonly ns: Nanoseconds;
}

/** Returns the bars from the shortest to the longest duration, each bound twice the one before, without gaps. */
export function barsOf({ bucket, calls }: Histogram): Bar[] {
  const bars: { fromNs: number; toNs: number; calls: number; ns: number }[] = [];
  for (let row = 0; row < bucket.length; row++) {
    const ns = bucketStart(bucket[row] as number);
    if (bars.length === 0) bars.push(barFrom(ns < 1 ? 0 : 2 ** Math.floor(Math.log2(ns))));
    for (let last = bars.at(-1) as Bar; ns >= last.toNs; last = bars.at(-1) as Bar) bars.push(barFrom(last.toNs));
    const bar = bars.at(-1) as (typeof bars)[number];
    bar.calls += calls[row] as number;
    bar.ns += (calls[row] as number) * bucketMiddle(bucket[row] as number);
  }
  return bars;
}

function barFrom(fromNs: Nanoseconds) {
  return { fromNs, toNs: Math.max(1, 2 * fromNs), calls: 0, ns: 0 };
}

/** Describes a bar for tooltips and screen readers. */
export function barText({ fromNs, toNs, calls, ns }: Bar): string {
  const took = ns > 0 ? `, ${formatDuration(ns)} in total` : '';
  return `${formatDuration(fromNs)} to ${formatDuration(toNs)}: ${formatMany(calls, 'call')}${took}`;
}

/** Returns the position of a duration in bars: 2.5 is the middle of the third bar. */
export function barPosition(bars: readonly Bar[], ns: Nanoseconds): number {
  const at = bars.findIndex(({ toNs }) => ns < toNs);
  const bar = bars[at];
  if (bar === undefined) return bars.length;
  return at + (bar.fromNs === 0 ? 0 : Math.max(0, Math.log2(ns / bar.fromNs)));
}
