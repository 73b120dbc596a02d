/**
 * Answers questions about many moments and intervals of a thread by examining every interval and call for each.
 */

import { CONTINUES } from '../../../src/analysis/log/span-trees.js';
import { Inference, UNWOUND } from '../../../src/model/profile/profile.js';
import { type Bounds, NONE } from '../../../src/model/units.js';
import type { AskedFunctions } from './reference-answers.js';
import { pathOf, pathOfInterval, type ReferenceCall, type ReferenceThread } from './reference-calls.js';

export interface AskedInterval {
  readonly fromNs: number;
  readonly toNs: number;
  readonly key: number;
}

/** `path`: null if the thread was not observed. */
export function nodeAt({ intervals }: ReferenceThread, atNs: number) {
  const now = intervals.find(({ fromNs, toNs }) => fromNs <= atNs && atNs < toNs);
  if (now === undefined) return { path: null, sinceNs: Number.NaN, isInferred: false };
  return {
    path: pathText(pathOfInterval(now)),
    sinceNs: now.stack.at(-1)?.startNs ?? Number.NaN,
    isInferred: now.certainty !== 'certain',
  };
}

/** Time and inferred time, by key and path. */
export function timesOver({ intervals }: ReferenceThread, asked: readonly AskedInterval[]): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { fromNs, toNs, key } of asked)
    for (const interval of intervals) {
      const ns = Math.min(toNs, interval.toNs) - Math.max(fromNs, interval.fromNs);
      if (ns <= 0) continue;
      const row = `${key} ${pathText(pathOfInterval(interval))}`;
      const [all, inferred] = times.get(row) ?? [0, 0];
      times.set(row, [all + ns, inferred + (interval.certainty === 'certain' ? 0 : ns)]);
    }
  return times;
}

/** The calls of some functions that overlap a window, and have a duration; `outer`: index in the list. */
export function spansIn(
  { calls }: ReferenceThread,
  { functions, durations }: AskedFunctions,
  { startNs, endNs }: Bounds,
) {
  const selected = calls.filter((call) => {
    const ns = call.endNs - call.startNs;
    const isLong = durations === null || (call.why === null && ns >= durations.minNs && ns <= durations.maxNs);
    const isInWindow = call.startNs < endNs && (call.startNs >= startNs || call.endNs > startNs);
    return functions.has(call.fn) && isLong && isInWindow;
  });
  return selected.map((call) => ({
    path: pathText(pathOf(call)),
    startNs: call.startNs,
    endNs: call.endNs,
    ending: endingOf(call),
    outer: selected.indexOf(call.stack.slice(0, -1).findLast((other) => selected.includes(other)) as ReferenceCall),
  }));
}

/** The calls that begin or end in the interval and last at least `minNs` in it; `parent`: index in the list. */
export function spanTreeOf({ calls }: ReferenceThread, { fromNs, toNs }: AskedInterval, minNs: number) {
  if (fromNs >= toNs) return [];
  const inside = calls.filter(({ startNs, endNs }) => {
    const begins = startNs >= fromNs && startNs < toNs;
    const ends = endNs > fromNs && endNs < toNs;
    return (begins || ends) && Math.min(toNs, endNs) - Math.max(fromNs, startNs) >= minNs;
  });
  return inside.map((call) => ({
    path: pathText(pathOf(call)),
    startNs: Math.max(fromNs, call.startNs),
    endNs: Math.min(toNs, call.endNs),
    ending: call.endNs > toNs ? CONTINUES : endingOf(call),
    parent: inside.indexOf(call.stack.at(-2) as ReferenceCall),
  }));
}

function pathText(path: readonly string[]): string {
  return path.join('\n');
}

function endingOf({ why, isUnwound }: ReferenceCall): number {
  if (isUnwound) return UNWOUND;
  return why === null ? NONE : why === 'stop' ? 0 : Inference[why];
}
