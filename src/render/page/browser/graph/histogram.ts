/**
 * Draws a histogram of call durations: number of calls above the line, total time of the calls below it.
 */
import type { DurationStats } from '../../../../analysis/tree/duration-stats.js';
import { formatDuration, formatPercentile } from '../../../format.js';
import { svgElement } from '../../../viewer/dom.js';
import { type Bar, barPosition, barText } from '../../view/histogram.js';

/** Keeps a single call among a million visible. */
const MIN_BAR_PX = 3;
const MAX_STEP_PX = 24;
const MIN_WIDTH_PX = 130;
/** Space above the bars, below them and right of them. */
const MARK_PX = 12;
const AXIS_PX = 15;
const NAMES_PX = 34;
const MARK_CHARACTER_PX = 6.2;

type Percentiles = Pick<DurationStats, 'p50Ns' | 'p90Ns' | 'p99Ns' | 'minNs' | 'maxNs'>;

/** Draws the histogram. `heightPx`: of the highest bar on either side. */
export function histogramPicture(
  bars: readonly Bar[],
  percentiles: Percentiles,
  widthPx: number,
  heightPx: number,
): SVGSVGElement {
  const stepPx = Math.min(MAX_STEP_PX, (widthPx - NAMES_PX) / Math.max(1, bars.length));
  const usedPx = Math.max(stepPx * bars.length, MIN_WIDTH_PX);
  const linePx = MARK_PX + heightPx;
  const bottomPx = linePx + 1 + heightPx;
  const text = (x: number, y: number, words: string, anchor = 'start') =>
    svgElement('text', { class: 'bars-text', x, y, 'text-anchor': anchor }, words);
  const [pictureWidthPx, pictureHeightPx] = [usedPx + NAMES_PX, bottomPx + AXIS_PX];
  const marks = within(marksOf(bars, percentiles, stepPx), pictureWidthPx);
  const texts = bars.filter(({ calls }) => calls > 0).map(barText);
  return svgElement(
    'svg',
    {
      class: 'histogram',
      width: pictureWidthPx,
      height: pictureHeightPx,
      viewBox: `0 0 ${pictureWidthPx} ${pictureHeightPx}`,
      role: 'img',
      'aria-label': [...texts, ...marks.map(({ name, ns }) => `${name} ${formatPercentile(ns, percentiles)}`)].join(
        ', ',
      ),
    },
    ...side(
      bars,
      ({ calls }) => calls,
      'bars',
      stepPx,
      heightPx,
      (barPx) => linePx - barPx,
    ),
    ...side(
      bars,
      ({ ns }) => ns,
      'bars time',
      stepPx,
      heightPx,
      () => linePx + 1,
    ),
    svgElement('path', { class: 'bars-line', d: `M0 ${linePx + 0.5}h${usedPx}` }),
    ...marks.map(({ xPx }) => svgElement('path', { class: 'bars-mark', d: `M${xPx} ${MARK_PX - 2}V${bottomPx}` })),
    ...marks.map(({ name, textPx }) => text(textPx, 9, name)),
    text(usedPx + 4, linePx - 2, 'calls'),
    text(usedPx + 4, linePx + 11, 'time'),
    text(0, bottomPx + 12, formatDuration(bars[0]?.fromNs ?? 0)),
    text(usedPx, bottomPx + 12, formatDuration(bars.at(-1)?.toNs ?? 0), 'end'),
  );
}

function side(
  bars: readonly Bar[],
  value: (bar: Bar) => number,
  className: string,
  stepPx: number,
  heightPx: number,
  topOf: (barPx: number) => number,
): SVGRectElement[] {
  const max = Math.max(1, ...bars.map(value));
  return bars.flatMap((bar, at) => {
    if (bar.calls === 0) return [];
    const barPx = Math.max(MIN_BAR_PX, (heightPx * value(bar)) / max);
    const attributes = {
      class: className,
      x: at * stepPx,
      y: topOf(barPx),
      width: Math.max(1, stepPx - 1),
      height: barPx,
    };
    return [svgElement('rect', attributes, svgElement('title', {}, barText(bar)))];
  });
}

interface Mark {
  readonly name: string;
  readonly ns: number;
  readonly xPx: number;
  /** Left edge of the name; after the previous name if they would overlap. */
  readonly textPx: number;
}

function marksOf(bars: readonly Bar[], { p50Ns, p90Ns, p99Ns }: Percentiles, stepPx: number): Mark[] {
  const known = (
    [
      ['p50', p50Ns],
      ['p90', p90Ns],
      ['p99', p99Ns],
    ] as const
  ).filter(([, ns]) => !Number.isNaN(ns));
  let freePx = 0;
  return known.map(([name, ns]) => {
    const xPx = Math.round(10 * stepPx * barPosition(bars, ns)) / 10;
    const textPx = Math.max(freePx, xPx - 8);
    freePx = textPx + (name.length + 1) * MARK_CHARACTER_PX;
    return { name, ns, xPx, textPx };
  });
}

/** Moves names to the left that would end outside of the picture. */
function within(marks: readonly Mark[], widthPx: number): Mark[] {
  let endPx = widthPx;
  return marks
    .toReversed()
    .map((mark) => {
      const textPx = Math.min(mark.textPx, endPx - mark.name.length * MARK_CHARACTER_PX);
      endPx = textPx - MARK_CHARACTER_PX;
      return { ...mark, textPx };
    })
    .reverse();
}
