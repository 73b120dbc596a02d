/**
 * Draws the recording from start to end: when threads were observed, and their gaps.
 */

import type { TraceGap } from '../../../model/profile/profile.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { formatDuration, formatMany } from '../../../render/format.js';
import { svgElement as svg } from '../../../render/viewer/dom.js';

export const STRIP_PX = 170;
const MIN_GAP_PX = 1;

/** `threads`: at least one. `gaps`, `lostNs`: of all of them. */
export function recordedStrip(
  recording: Bounds,
  threads: readonly Bounds[],
  gaps: readonly TraceGap[],
  lostNs: Nanoseconds,
): SVGSVGElement {
  const lengthNs = Math.max(1, recording.endNs - recording.startNs);
  const at = (ns: number) => STRIP_PX * Math.min(1, Math.max(0, (ns - recording.startNs) / lengthNs));
  const fromPx = at(threads.reduce((ns, { startNs }) => Math.min(ns, startNs), Number.POSITIVE_INFINITY));
  const toPx = at(threads.reduce((ns, { endNs }) => Math.max(ns, endNs), 0));
  const marks = gaps.map(({ atNs, lengthNs }) => {
    const widthPx = Math.max(MIN_GAP_PX, at(atNs + lengthNs) - at(atNs));
    return svg('rect', { class: 'gap', x: at(atNs), y: 0, width: widthPx, height: 12 });
  });
  const text = gaps.length === 0 ? 'no gaps' : `${formatMany(gaps.length, 'gap')}, ${formatDuration(lostNs)} lost`;
  return svg(
    'svg',
    { class: 'strip', width: STRIP_PX, height: 12, role: 'img', 'aria-label': text },
    svg('title', {}, text),
    svg('rect', { class: 'span', x: fromPx, y: 3, width: Math.max(1, toPx - fromPx), height: 6 }),
    ...marks,
  );
}
