/**
 * Draws the axes of a plot: time below, durations on the left, percentiles on the right.
 */
import { formatDuration } from '../format.js';
import { xml } from '../svg/xml.js';
import { percentileText, timeTicks } from './calls-plot.js';
import { type PlotArea, tenths, yOf } from './plot-area.js';

const MAX_TIME_TICKS = 10;
const MAX_DURATION_TICKS = 9;
const LABEL_PX = 14;

export function* axes(area: PlotArea): Generator<string> {
  const { widthPx, heightPx, axis, plot } = area;
  for (const { at, ns } of axis.ticks(MAX_DURATION_TICKS)) {
    const yPx = tenths((1 - at) * heightPx);
    yield `<path class="grid" d="M0 ${yPx}H${widthPx}"/><text class="quiet end" x="-8" y="${yPx + 4}">${xml(formatDuration(ns))}</text>\n`;
  }
  yield `<path class="grid" d="M0 0V${heightPx}H${widthPx}"/>\n`;
  for (const { at, ns } of timeTicks(plot.durationNs, MAX_TIME_TICKS)) {
    const xPx = tenths(at * widthPx);
    const text = ns === 0 ? '0' : `+${formatDuration(ns)}`;
    yield `<path class="grid" d="M${xPx} ${heightPx}v5"/><text class="quiet middle" x="${xPx}" y="${heightPx + 18}">${xml(text)}</text>\n`;
  }
  yield `<text class="quiet" x="0" y="${heightPx + 36}">when calls began, since the start of what is shown; upwards: how long they took</text>\n`;
  yield* percentiles(area);
}

/** Lines end in labels, which are moved down where they would overlap. */
function* percentiles(area: PlotArea): Generator<string> {
  const { widthPx } = area;
  const known = area.plot.percentiles.flatMap(({ name, ns, isAbout }) =>
    ns === null ? [] : [{ ns, text: percentileText(name, ns, isAbout), yPx: yOf(area, ns) }],
  );
  let freePx = Number.NEGATIVE_INFINITY;
  for (const { text, yPx } of known.sort((a, b) => b.ns - a.ns)) {
    const labelPx = tenths(Math.max(yPx, freePx));
    freePx = labelPx + LABEL_PX;
    yield `<path class="percentile" d="M0 ${yPx}H${widthPx}l8 ${tenths(labelPx - yPx)}"/><text x="${widthPx + 12}" y="${tenths(labelPx + 4)}">${xml(text)}</text>\n`;
  }
}
