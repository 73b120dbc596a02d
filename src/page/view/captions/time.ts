/**
 * Describes times and time ranges.
 */

import type { Timeline } from '../../../model/profile/timeline.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { formatDuration, formatShare } from '../../../render/format.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

/** Returns "12.345 ms": a time since the start, with as many decimals as the precision needs. */
export function momentText(ns: Nanoseconds, precisionNs: Nanoseconds, scaleNs: Nanoseconds = ns): string {
  const [unit, size] = UNITS.find(([, size]) => scaleNs >= size) ?? (['ns', 1] as const);
  const decimals = Math.ceil(Math.log10(size / Math.max(1, precisionNs)) - 1e-9);
  return `${(ns / size).toFixed(Math.min(9, Math.max(0, decimals)))} ${unit}`;
}

/** Returns "1.20 ms to 3.40 ms (2.2 ms)". */
export function rangeText({ startNs, endNs }: Bounds): string {
  const precisionNs = (endNs - startNs) / 100;
  const [from, to] = [startNs, endNs].map((ns) => momentText(ns, precisionNs, endNs));
  return `${from} to ${to} (${formatDuration(endNs - startNs)})`;
}

/** A mark of the axis. */
export interface Tick {
  readonly ns: Nanoseconds;
  readonly text: string;
}

/** Returns round times within bounds, at least `minNs` apart. */
export function ticksOf({ startNs, endNs }: Bounds, minNs: Nanoseconds): Tick[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, minNs)));
  const stepNs = ([1, 2, 5, 10].find((factor) => factor * power >= minNs) ?? 10) * power;
  const ticks: Tick[] = [];
  for (let at = Math.ceil(startNs / stepNs); at * stepNs <= endNs; at++)
    ticks.push({ ns: at * stepNs, text: momentText(at * stepNs, stepNs, endNs) });
  return ticks;
}

export const ACTIVITY_NAMES: readonly string[] = ['running', 'system call', 'untraced', 'off-CPU', 'preempted', 'lost'];
export const UNOBSERVED = 'not observed';

/** What threads did from a moment to another. `ns`: by `Activity`; `allNs`: of all threads, if they had been observed. */
export interface HoveredTime extends Bounds {
  readonly name: string;
  readonly ns: Float64Array;
  readonly allNs: Nanoseconds;
  /** perf's clock at the moment; null: each recording has its own. */
  readonly clockNs: bigint | null;
}

export function hoveredDetails({ name, ns, allNs, startNs, endNs, clockNs }: HoveredTime): FrameDetails {
  const moment = momentText(startNs, endNs - startNs, endNs);
  const observedNs = ns.reduce((sum, own) => sum + own, 0);
  const shares = [...ns, Math.max(0, allNs - observedNs)].map((own, at) => {
    return {
      label: ACTIVITY_NAMES[at] ?? UNOBSERVED,
      value: formatShare(Math.round((SHARES * own) / allNs), SHARES),
      note: '',
      own,
    };
  });
  const shown = shares.filter(({ own }) => own / allNs > LEAST_SHARE).sort((a, b) => b.own - a.own);
  return {
    title: name,
    rows: [
      { label: 'time', value: moment, note: endNs - startNs < 1 ? '' : `for ${formatDuration(endNs - startNs)}` },
      ...(clockNs === null ? [] : [{ label: 'clock', value: secondsText(clockNs), note: "perf's" }]),
      ...shown.map(({ own: _, ...detail }) => detail),
    ],
  };
}

/** Less comes from rounding. */
const LEAST_SHARE = 1e-6;
const SHARES = 1 / LEAST_SHARE;

function secondsText(ns: bigint): string {
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, '0')}`;
}

/** What is not exact or not known of ranges. */
export function rangeNotes({ sumsSliceNs, minPathNs }: Pick<Timeline, 'sumsSliceNs' | 'minPathNs'>): string[] {
  if (sumsSliceNs === null) return [`no time ranges in this file: ${RANGES_REMEDY}`];
  return [
    ...(sumsSliceNs > 1 ? [`in steps of ${formatDuration(sumsSliceNs)}`] : []),
    ...(minPathNs > 0
      ? [`call paths with less than ${formatDuration(minPathNs)} in a thread count as their callers`]
      : []),
  ];
}

const RANGES_REMEDY = 'render it with --time-detail 16M, or one of them with --window';
