/**
 * Draws calls: dots, and cells of a heat map.
 */
import type { LegendEntry } from '../frames/captions.js';
import { SCALE } from '../frames/colours.js';
import { xml } from '../svg/xml.js';
import { callText, cellText } from './call-texts.js';
import { type CallsPlot, shadeOf, shadesOf, shadeText } from './calls-plot.js';
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
