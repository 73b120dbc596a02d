/**
 * Formats the calls of a function over time as a plot of characters, readable without colour: dots, or shades for counts.
 */

import { formatDuration } from '../../../src/render/format.js';
import {
  type CallsPlot,
  callText,
  DurationAxis,
  LABELLED,
  percentileText,
  titleOfCalls,
} from '../../../src/render/plot/calls-plot.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { brailleCells, shadedCells } from './plot-cells.js';
import { timeAxisLines } from './time-axis.js';

export interface PlotOptions {
  readonly name: string;
  readonly bounds: string | null;
  readonly isHeatMap: boolean;
  /** Of the terminal. */
  readonly width: number;
}

const LEFT_WIDTH = 9;
const RIGHT_WIDTH = 16;
const MAX_HEIGHT = 16;

export function plotLines(plot: CallsPlot, { name, bounds, isHeatMap, width }: PlotOptions): string[] {
  const axis = new DurationAxis(plot);
  const size = { width: Math.max(8, width - LEFT_WIDTH - RIGHT_WIDTH), height: MAX_HEIGHT };
  const { title, shown } = titleOfCalls(plot, name, bounds, isHeatMap);
  const head = [visibleText(title), visibleText(shown), ''];
  if (plot.cells.length === 0) return head.slice(0, 1);
  const { rows, legend } = isHeatMap ? shadedCells(plot, axis, size) : brailleCells(plot, axis, size);
  const left = durationLabels(axis, rows.length);
  const right = percentileLabels(plot, axis, rows.length);
  const lines = rows.map((row, at) => `${left[at].padStart(LEFT_WIDTH - 2)} │${row.padEnd(size.width)}${right[at]}`);
  return [
    ...head,
    ...lines.map((line) => line.trimEnd()),
    ...timeAxisLines(plot.durationNs, size, LEFT_WIDTH),
    ...legend,
    ...slowestLines(plot),
  ];
}

/** Returns a label for each line. */
function durationLabels(axis: DurationAxis, height: number): string[] {
  const labels = Array.from({ length: height }, () => '');
  for (const { at, ns } of axis.ticks(Math.ceil(height / 2))) labels[lineOf(at, height)] = formatDuration(ns);
  return labels;
}

/** A label whose line has one already is moved down, or up from the last line, and points to where it belongs. */
function percentileLabels({ percentiles }: CallsPlot, axis: DurationAxis, height: number): string[] {
  const labels = Array.from({ length: height }, () => '');
  const known = percentiles.flatMap(({ name, ns, isAbout }) =>
    ns === null ? [] : [{ ns, text: percentileText(name, ns, isAbout) }],
  );
  for (const { ns, text } of known.sort((a, b) => b.ns - a.ns)) {
    const line = lineOf(axis.at(ns), height);
    const below = labels.findIndex((label, at) => at >= line && label === '');
    const free = below < 0 ? labels.lastIndexOf('') : below;
    const pointer = free === line ? '◂' : free > line ? '↑' : '↓';
    if (free >= 0) labels[free] = ` ${pointer} ${text}`;
  }
  return labels;
}

function slowestLines({ calls }: CallsPlot): string[] {
  return calls.slice(0, LABELLED).map((call, rank) => `${rank + 1}: ${callText(call)}`);
}

/** Returns the line of a share of the axis; the first line is on top. */
function lineOf(at: number, height: number): number {
  return Math.min(height - 1, Math.floor((1 - at) * height));
}
