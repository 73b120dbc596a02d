/**
 * Draws a histogram of call durations: number of calls above the line, total time of the calls below it.
 */

import type { FunctionSums } from '../../../analysis/tree/functions.js';
import { havePercentile, PERCENTILES, type Percentiles } from '../../../model/percentiles.js';
import { formatDuration, formatPercentile } from '../../../render/format.js';
import { svgElement } from '../../../render/viewer/dom.js';
import { type Bar, barPosition, barText } from '../../view/view.js';

/** Keeps a single call among a million visible. */
const MIN_BAR_PX = 3;
const MAX_STEP_PX = 24;
/** Width of few bars, if there is as much space: their bounds have to be written below them. */
const FEW_BARS_PX = 180;
/** A narrower picture is scaled down. */
const MIN_BARS_PX = 86;
/** Space above the bars, below them and right of them. */
const MARK_PX = 12;
const AXIS_PX = 15;
const NAMES_PX = 34;
const CHARACTER_PX = 6.2;
/** Marks that are closer are one. */
const SAME_MARK_PX = 2;

type KnownRange = Percentiles & Pick<FunctionSums, 'minNs' | 'maxNs' | 'calls' | 'inferred'>;

/** Draws the histogram. `heightPx`: of the highest bar on either side. */
export function histogramPicture(
  bars: readonly Bar[],
  percentiles: KnownRange,
  widthPx: number,
  heightPx: number,
): SVGSVGElement {
  const usedPx = Math.max(MIN_BARS_PX, Math.min(widthPx - NAMES_PX, Math.max(FEW_BARS_PX, MAX_STEP_PX * bars.length)));
  const stepPx = usedPx / bars.length;
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
      'aria-label': [
        ...texts,
        ...known(percentiles).map(
          ({ title, key, part }) => `${title} ${formatPercentile(percentiles[key], percentiles, part)}`,
        ),
      ].join(', '),
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
    ...boundsOf(bars, stepPx).map(({ words, xPx, anchor }) => text(xPx, bottomPx + 12, words, anchor)),
  );
}

interface BoundText {
  readonly words: string;
  readonly xPx: number;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** Names the bounds of bars, each at its place: the first, the last, and between them those that fit. `bars`: not empty. */
function boundsOf(bars: readonly Bar[], stepPx: number): BoundText[] {
  const [first, ...inner] = bars.map(({ fromNs }) => formatDuration(fromNs)) as [string, ...string[]];
  const last = formatDuration((bars.at(-1) as Bar).toNs);
  const widthOf = (words: string) => words.length * CHARACTER_PX;
  const endPx = stepPx * bars.length;
  let freePx = widthOf(first);
  const fitting = inner.flatMap((words, at): BoundText[] => {
    const xPx = stepPx * (at + 1);
    const halfPx = widthOf(words) / 2;
    if (xPx - halfPx < freePx || xPx + halfPx > endPx - widthOf(last)) return [];
    freePx = xPx + halfPx;
    return [{ words, xPx, anchor: 'middle' }];
  });
  return [{ words: first, xPx: 0, anchor: 'start' }, ...fitting, { words: last, xPx: endPx, anchor: 'end' }];
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
  /** "p50", "p90–p99" for several at the same place. */
  readonly name: string;
  readonly xPx: number;
  /** Left edge of the name; after the previous name if they would overlap. */
  readonly textPx: number;
}

function known(of: KnownRange): (typeof PERCENTILES)[number][] {
  return PERCENTILES.filter(({ key, part }) => !Number.isNaN(of[key]) && havePercentile(of, part));
}

function marksOf(bars: readonly Bar[], percentiles: KnownRange, stepPx: number): Mark[] {
  const groups: { first: string; last: string; xPx: number }[] = [];
  for (const { title: name, key } of known(percentiles)) {
    const xPx = Math.round(10 * stepPx * barPosition(bars, percentiles[key])) / 10;
    const before = groups.at(-1);
    if (before !== undefined && xPx - before.xPx < SAME_MARK_PX) before.last = name;
    else groups.push({ first: name, last: name, xPx });
  }
  let freePx = 0;
  return groups.map(({ first, last, xPx }) => {
    const name = first === last ? first : `${first}–${last}`;
    const textPx = Math.max(freePx, xPx - 8);
    freePx = textPx + (name.length + 1) * CHARACTER_PX;
    return { name, xPx, textPx };
  });
}

/** Moves names to the left that would end outside of the picture. */
function within(marks: readonly Mark[], widthPx: number): Mark[] {
  let endPx = widthPx;
  return marks
    .toReversed()
    .map((mark) => {
      const textPx = Math.min(mark.textPx, endPx - mark.name.length * CHARACTER_PX);
      endPx = textPx - CHARACTER_PX;
      return { ...mark, textPx };
    })
    .reverse();
}
