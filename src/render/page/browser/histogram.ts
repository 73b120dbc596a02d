/**
 * Bars of how long calls took.
 */
import { max, scaleLinear } from 'd3';
import { svgElement } from '../../browser/dom.js';
import { formatDuration } from '../../format.js';
import { type Bar, barText } from '../view/histogram.js';

const LEAST_BAR_PX = 1.5;

/** `heightPx`: of the longest bar; below it stand the first and the last duration. */
export function histogramPicture(bars: readonly Bar[], widthPx: number, heightPx: number): SVGSVGElement {
  const height = scaleLinear([0, max(bars, ({ calls }) => calls) ?? 1], [0, heightPx]);
  const stepPx = Math.min(24, widthPx / Math.max(1, bars.length));
  const drawn = bars.map((bar, at) => {
    const barPx = bar.calls === 0 ? 0 : Math.max(LEAST_BAR_PX, height(bar.calls));
    const place = { class: 'bars', x: at * stepPx, y: heightPx - barPx, width: Math.max(1, stepPx - 1), height: barPx };
    return svgElement('rect', place, svgElement('title', {}, barText(bar)));
  });
  const text = (x: number, anchor: string, ns: number) =>
    svgElement('text', { class: 'bars-text', x, y: heightPx + 12, 'text-anchor': anchor }, formatDuration(ns));
  const first = bars[0]?.fromNs ?? 0;
  const last = bars.at(-1)?.toNs ?? 0;
  const usedPx = Math.max(stepPx * bars.length, 110);
  return svgElement(
    'svg',
    {
      class: 'histogram',
      width: usedPx,
      height: heightPx + 15,
      role: 'img',
      'aria-label': bars
        .filter(({ calls }) => calls > 0)
        .map(barText)
        .join(', '),
    },
    ...drawn,
    text(0, 'start', first),
    text(usedPx, 'end', last),
  );
}
