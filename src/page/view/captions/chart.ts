/**
 * Describes the calls of a stack chart, and what it leaves out.
 */

import { Inference, isComplete, UNWOUND } from '../../../model/profile/profile.js';
import { PIECE } from '../../../model/profile/timeline.js';
import { type Bounds, type Nanoseconds, NONE } from '../../../model/units.js';
import { formatAtLeast, formatCount, formatDuration, formatMany } from '../../../render/format.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import type { Label } from '../../../render/frames/labels.js';
import { isolated } from '../../../render/visible-text.js';
import type { DrawnCalls } from '../chart/chart-boxes.js';
import { type ChartBoxes, ChartBoxKind, selfNsOf } from '../chart/chart-boxes.js';
import type { WhyUnlisted } from '../chart/chart-thread.js';
import { type ChartThread, knownOf } from '../chart/chart-thread.js';
import { momentText } from './time.js';

const ENDINGS: Readonly<Record<number, string>> = {
  [NONE]: 'returned',
  [UNWOUND]: 'unwound: ended by an exception or longjmp',
  [PIECE]: 'part of a call: until its stack was switched away from',
  [Inference.OpenAtStart]: 'inferred: began before the trace',
  [Inference.OpenAtEnd]: 'inferred: still running at the end of the trace',
  [Inference.CutByGap]: 'inferred: cut by a gap',
  [Inference.Unwound]: 'inferred: left without a return',
  [Inference.HiddenJump]: 'inferred: entered by a hidden jump',
};

/** `ending`: as in `Spans`. */
export function endingText(ending: number): string {
  return ENDINGS[ending] ?? 'inferred';
}

/** Returns "3 ms", or "≥ 3 ms" for inferred calls. */
export function callDuration({ startNs, endNs }: Bounds, ending: number): string {
  const ns = endNs - startNs;
  return isComplete(ending) || ending === PIECE ? formatDuration(ns) : formatAtLeast(ns);
}

/** Returns "2,000 calls", or "up to 3,000 calls". */
function blockText({ atLeast, atMost }: { readonly atLeast: number; readonly atMost: number }): string {
  return atLeast === atMost ? formatMany(atMost, 'call') : `up to ${formatMany(atMost, 'call')}`;
}

/** Returns the label of a box, before it is fitted to its width. */
export function chartLabel(boxes: ChartBoxes, box: number, nameOf: (node: number) => string): Label {
  if (boxes.kind[box] !== ChartBoxKind.Call) return { name: blockText(countOf(boxes, box)), numbers: [] };
  return { name: nameOf(boxes.node[box]), numbers: [callDuration(boundsOf(boxes, box), boxes.ending[box])] };
}

export function boundsOf({ startNs, endNs }: ChartBoxes, box: number): Bounds {
  return { startNs: startNs[box], endNs: endNs[box] };
}

function countOf({ atLeast, atMost }: ChartBoxes, box: number) {
  return { atLeast: atLeast[box], atMost: atMost[box] };
}

/** Returns the tooltip of a box. `pixelNs`: the time that a pixel shows. */
export function chartDetails(
  thread: ChartThread,
  boxes: ChartBoxes,
  box: number,
  nameOf: (node: number) => string,
  pixelNs: Nanoseconds,
): FrameDetails {
  const bounds = boundsOf(boxes, box);
  const start = { label: 'start', value: momentText(bounds.startNs, 1, thread.durationNs), note: 'after the start' };
  if (boxes.kind[box] !== ChartBoxKind.Call) {
    const isListed = boxes.kind[box] === ChartBoxKind.Short;
    const hint = isListed ? `shorter than a pixel, ${formatDuration(pixelNs)}: zoom in` : unlistedHint(thread);
    return {
      title: blockText(countOf(boxes, box)),
      rows: [start, { label: 'within', value: formatDuration(bounds.endNs - bounds.startNs), note: '' }, note(hint)],
    };
  }
  const ending = boxes.ending[box];
  return {
    title: isolated(nameOf(boxes.node[box])),
    rows: [
      start,
      { label: 'duration', value: callDuration(bounds, ending), note: '' },
      ...selfDetails(thread, boxes.node[box], bounds),
      { label: 'ending', value: '', note: endingText(ending) },
    ],
  };
}

function selfDetails(thread: ChartThread, node: number, bounds: Bounds) {
  const known = knownOf(thread, bounds);
  const selfNs = selfNsOf(known, node, bounds);
  if (selfNs === null) return [];
  const { belowNs } = known.unlisted;
  const isUpperBound = belowNs > 0;
  const text = isUpperBound ? `with callees shorter than ${formatDuration(belowNs)}` : '';
  return [{ label: 'self', value: `${isUpperBound ? '≤ ' : ''}${formatDuration(selfNs)}`, note: text }];
}

function note(text: string) {
  return { label: '', value: '', note: text };
}

/** Why calls are not listed, and the remedy. */
const REMEDIES: Readonly<Record<WhyUnlisted, string>> = {
  file: ', not in this file: render it with --time-detail 16M, or --window',
  awaited: ', requested from ptflame serve',
  gone: ', only ptflame serve has them',
  pixel: ': zoom in',
};

function unlistedHint({ unlisted: { belowNs, why } }: ChartThread): string {
  return `shorter than ${formatDuration(belowNs)}${REMEDIES[why]}`;
}

/** Says what a window shows, and what it leaves out. `pixelNs`: the time that a pixel shows. */
export function chartCaption(
  { count, short, unlisted }: DrawnCalls,
  thread: ChartThread,
  pixelNs: Nanoseconds,
): string {
  const parts = [formatMany(count, 'call')];
  if (short > 0) parts.push(`${formatCount(short)} shorter than ${formatDuration(pixelNs)} in grey blocks`);
  if (thread.unlisted.belowNs > 0) parts.push(unlistedText(unlisted, thread));
  return parts.join(' · ');
}

function unlistedText(count: DrawnCalls['unlisted'], thread: ChartThread): string {
  const { bySlice, isLowerBound } = thread.unlisted;
  const isKnown = bySlice !== null && !(isLowerBound && count.atMost === 0);
  return `${isKnown ? blockText(count) : 'calls'} ${unlistedHint(thread)}`;
}
