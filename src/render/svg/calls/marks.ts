/**
 * Draws calls: dots, cells of a heat map, and labels of the slowest.
 */
import type { LegendEntry } from '../../frames/captions.js';
import { SCALE } from '../../frames/colours.js';
import { callText, cellText } from '../../plot/call-texts.js';
import { type CallsPlot, type PlottedCall, shadeOf, shadesOf, shadeText } from '../../plot/calls-plot.js';
import { sansWidthPx } from '../head-shape.js';
import { xml } from '../xml.js';
import { type PlotArea, tenths, xOf, yOf } from './plot-area.js';

/** The palest would hardly differ from the page. */
export const SHADES = SCALE.slice(2);

const AT_LEAST = 'at least this long (≥): start or end not seen';

export function legendOfDots({ calls }: CallsPlot): LegendEntry[] {
  const atLeast = calls.some(({ isInferred }) => isInferred) ? [{ swatch: '', text: `△ ${AT_LEAST}` }] : [];
  return [{ swatch: 'dot', text: 'call' }, ...atLeast];
}

export function legendOfCells({ cells }: CallsPlot): LegendEntry[] {
  const shades = shadesOf(cells, SHADES.length);
  const largest = cells.reduce((most, { calls }) => Math.max(most, calls), 0);
  const atLeast = cells.some(({ inferred }) => inferred > 0) ? [{ swatch: '', text: `— ${AT_LEAST}` }] : [];
  const entries = shades.map((_, shade) => ({
    swatch: classOf(shade, shades),
    text: shadeText(shades, shade, largest),
  }));
  return [{ swatch: '', text: 'calls:' }, ...entries, ...atLeast];
}

/** Few shades are spread over the scale. */
function classOf(shade: number, shades: readonly number[]): string {
  return `h${SHADES.length - shades.length + shade}`;
}

/** The longest are drawn last, on top. */
export function* dots(area: PlotArea): Generator<string> {
  for (const call of area.plot.calls.toReversed()) {
    const [xPx, yPx] = [xOf(area, call.startNs), yOf(area, call.durationNs)];
    const title = `<title>${xml(callText(call))}</title>`;
    yield call.isInferred
      ? `<path class="atleast" d="M${tenths(xPx - 4)} ${tenths(yPx + 3)}l4 -7l4 7z">${title}</path>\n`
      : `<circle class="dot" cx="${xPx}" cy="${yPx}" r="2.5">${title}</circle>\n`;
  }
}

export function* cells(area: PlotArea): Generator<string> {
  const { plot, widthPx } = area;
  const shades = shadesOf(plot.cells, SHADES.length);
  for (const cell of plot.cells) {
    const [xPx, endPx] = [cell.column, cell.column + 1].map((at) => tenths((at / plot.columns) * widthPx));
    const [yPx, belowPx] = [yOf(area, cell.toNs), yOf(area, cell.fromNs)];
    const size = `width="${tenths(endPx - xPx)}" height="${tenths(belowPx - yPx)}"`;
    const title = `<title>${xml(cellText(cell, plot))}</title>`;
    const shade = classOf(shadeOf(shades, cell.calls), shades);
    yield `<rect class="${shade}" x="${xPx}" y="${yPx}" ${size}>${title}</rect>\n`;
    if (cell.inferred > 0) yield `<path class="atleast" d="M${xPx} ${tenths((yPx + belowPx) / 2)}H${endPx}"/>\n`;
  }
}

const LABELLED = 3;
const LINE_PX = 15;

interface Label {
  readonly fromPx: number;
  readonly toPx: number;
  readonly yPx: number;
}

/** Rings around the slowest calls, with labels that do not overlap. */
export function* slowest(area: PlotArea): Generator<string> {
  const placed: Label[] = [];
  for (const call of area.plot.calls.slice(0, LABELLED)) {
    const [xPx, yPx] = [xOf(area, call.startNs), yOf(area, call.durationNs)];
    const label = freeLabel(xPx, yPx + 4, call, area, placed);
    placed.push(label);
    yield `<circle class="slow" cx="${xPx}" cy="${yPx}" r="6"/><text class="label" x="${tenths(label.fromPx)}" y="${tenths(label.yPx)}">${xml(callText(call))}</text>\n`;
  }
}

/** On the side of the call with more space; moved down below other labels. */
function freeLabel(xPx: number, yPx: number, call: PlottedCall, area: PlotArea, placed: readonly Label[]): Label {
  const widthPx = sansWidthPx(callText(call));
  const fromPx = xPx < area.widthPx / 2 ? xPx + 10 : xPx - 10 - widthPx;
  const toPx = fromPx + widthPx;
  let downPx = yPx;
  const isTaken = (other: Label) =>
    Math.abs(other.yPx - downPx) < LINE_PX && other.fromPx < toPx && fromPx < other.toPx;
  while (placed.some(isTaken)) downPx += LINE_PX;
  return { fromPx, toPx, yPx: downPx };
}
