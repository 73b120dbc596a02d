/**
 * Draws the slowest calls: a ring with the rank of each, and below the plot what they are.
 */

import { HEAD } from '../svg/head-shape.js';
import { xml } from '../svg/xml.js';
import { callText } from './call-texts.js';
import { LABELLED, type PlottedCall } from './calls-plot.js';
import { type PlotArea, tenths, xOf, yOf } from './plot-area.js';

/** Calls that are closer share a number. */
const NEAR_PX = 14;
const RING_PX = 6;

interface Mark {
  readonly xPx: number;
  readonly yPx: number;
  readonly ranks: number[];
}

export function* rings(area: PlotArea): Generator<string> {
  const marks: Mark[] = [];
  for (const [at, call] of slowest(area).entries()) {
    const [xPx, yPx] = [xOf(area, call.startNs), yOf(area, call.durationNs)];
    yield `<circle class="slow" cx="${xPx}" cy="${yPx}" r="${RING_PX}"/>\n`;
    const near = marks.find((mark) => Math.hypot(mark.xPx - xPx, mark.yPx - yPx) < NEAR_PX);
    if (near) near.ranks.push(at + 1);
    else marks.push({ xPx, yPx, ranks: [at + 1] });
  }
  for (const { xPx, yPx, ranks } of marks)
    yield `<text class="label middle" x="${xPx}" y="${tenths(yPx - RING_PX - 3)}">${ranks.join(' ')}</text>\n`;
}

/** `topPx`: of the first row. */
export function* slowestRows(area: PlotArea, topPx: number): Generator<string> {
  for (const [at, call] of slowest(area).entries())
    yield `<text x="0" y="${topPx + HEAD.rowPx * at + HEAD.noteBasePx}">${at + 1}: ${xml(callText(call))}</text>\n`;
}

export function slowestHeightPx(area: PlotArea): number {
  return HEAD.rowPx * slowest(area).length;
}

function slowest({ plot }: PlotArea): readonly PlottedCall[] {
  return plot.calls.slice(0, LABELLED);
}
