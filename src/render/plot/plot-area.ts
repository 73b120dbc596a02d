/**
 * The area of a picture that calls are drawn in.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { CallsPlot, DurationAxis } from './calls-plot.js';

export interface PlotArea {
  readonly plot: CallsPlot;
  readonly axis: DurationAxis;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Returns the position of a moment, in tenths of a pixel. */
export function xOf({ plot, widthPx }: PlotArea, ns: Nanoseconds): number {
  return tenths((ns / Math.max(1, plot.durationNs)) * widthPx);
}

/** Returns the position of a duration: long ones are on top. */
export function yOf({ axis, heightPx }: PlotArea, ns: Nanoseconds): number {
  return tenths((1 - axis.at(ns)) * heightPx);
}

export function tenths(px: number): number {
  return Math.round(px * 10) / 10;
}
