/**
 * Formats the time axis below a plot of characters.
 */

import { formatDuration } from '../../../src/render/format.js';
import { timeTicks } from '../../../src/render/plot/calls-plot.js';
import type { PlotSize } from './plot-cells.js';

/** Space for a label and the gap after it. */
const LABEL_WIDTH = 12;

/** `left`: the width of what is left of the plot. */
export function timeAxisLines(durationNs: number, { width }: PlotSize, left: number): string[] {
  const line = Array.from({ length: width }, () => '─');
  let labels = '';
  for (const { at, ns } of timeTicks(durationNs, Math.max(1, Math.floor(width / LABEL_WIDTH)))) {
    const column = Math.min(width - 1, Math.floor(at * width));
    line[column] = '┬';
    const label = ns === 0 ? '0' : `+${formatDuration(ns)}`;
    if (column >= labels.length && column + label.length <= width + LABEL_WIDTH) labels = labels.padEnd(column) + label;
  }
  const indent = ' '.repeat(left - 1);
  return [`${indent}└${line.join('')}`, `${indent} ${labels}`];
}
