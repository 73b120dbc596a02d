/**
 * Compares two sets of numbers on the same call paths: of two recordings, of groups of threads, or of a time range and the rest.
 */
import { isWithinNoise, mayShareQuantile, noiseOfSums, scaled } from '../../analysis/compare.js';
import type { FunctionSums } from '../../analysis/tree/functions.js';
import type { Histogram } from '../../model/calls/durations.js';
import type { DiffPaths, SideNames } from '../../render/diff/paths.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { State } from './state.js';

/** Instead of threads: what the selected range or threads leave. */
export const REST = 'rest';

/** The two sides that a state compares. */
export interface Sides {
  readonly kind: 'recordings' | 'threads' | 'rest';
  readonly names: SideNames;
  /** What each side shows, compared with nothing. */
  readonly before: State;
  readonly after: State;
  /** What times and numbers of calls are multiplied by. */
  readonly scales: { readonly before: number; readonly after: number };
}

/** Tables with the same call paths. */
export interface ComparedTable {
  readonly sides: Sides;
  /** How each path changed. */
  readonly paths: DiffPaths;
  /** As it is drawn: widths are those of a side, or the larger ones. */
  readonly table: FrameTable;
  /** The numbers of each side, not scaled. */
  readonly before: FrameTable;
  readonly after: FrameTable;
}

export const MEASURES = ['total', 'self', 'calls', 'avg', 'p99'] as const;
export type Measure = (typeof MEASURES)[number];

/** A number on both sides, scaled; NaN: not known. */
export interface ComparedNumber {
  readonly before: number;
  readonly after: number;
  /** The largest difference that may be chance; NaN: not known. */
  readonly noise: number;
  readonly isNoise: boolean;
}

/** The numbers of a function or a call path on both sides. */
export interface RowComparison {
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly of: Readonly<Record<Measure, ComparedNumber>>;
}

/** A row of one side, not scaled. */
export interface SideRow {
  readonly sums: FunctionSums;
  readonly weight: number;
  readonly selfWeight: number;
  readonly isThere: boolean;
  readonly histogram: Histogram | null;
  readonly scale: number;
}

/** `hasNoise`: weights are times of all calls. */
export function compareRows(before: SideRow, after: SideRow, hasNoise: boolean): RowComparison {
  const ofSide = ({ sums, histogram, scale }: SideRow) => ({ ...sums, histogram, scale });
  const noise = noiseOfSums(ofSide(before), ofSide(after));
  const number = (of: (row: SideRow) => number, most: number): ComparedNumber => {
    const [old, now] = [of(before), of(after)];
    return { before: old, after: now, noise: most, isNoise: isWithinNoise(old, now, most) };
  };
  const ofWeight = (most: number) => (hasNoise ? most : Number.NaN);
  const p99 = number(({ sums }) => sums.p99Ns, Number.NaN);
  const isOneP99 = !Number.isNaN(p99.before + p99.after) && p99.before !== p99.after;
  return {
    isNew: !before.isThere,
    isGone: !after.isThere,
    of: {
      total: number(({ weight, scale }) => scaled(weight, scale), ofWeight(noise.totalNs)),
      self: number(({ selfWeight, scale }) => scaled(selfWeight, scale), ofWeight(noise.selfNs)),
      calls: number(({ sums, scale }) => scaled(sums.calls, scale), Number.NaN),
      avg: number(({ sums }) => sums.avgNs, noise.avgNs),
      p99: { ...p99, isNoise: isOneP99 && mayShareQuantile(noise.p99.before, noise.p99.after) },
    },
  };
}
