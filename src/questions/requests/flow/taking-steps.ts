/**
 * The calls of a thread in which it may take work, as steps: one for each take, and one for a call without.
 */

import { type Nanoseconds, NONE } from '../../../model/units.js';
import type { Moments } from '../../../waits/handoffs/moments.js';
import type { ThreadCalls } from './work-ends.js';

/** By time. Between the end of a step and the beginning of the next there is a gap, and one after the last. */
export interface TakingSteps {
  readonly length: number;
  /** NONE: a call that took nothing. */
  readonly pop: readonly number[];
  /** When the call began, or the take before in the same call was; and when it took, or the call ended. */
  readonly fromNs: readonly Nanoseconds[];
  readonly toNs: readonly Nanoseconds[];
  /** When the gap after each ends. */
  readonly nextNs: readonly Nanoseconds[];
}

/** `pops`: rows of the moments, all of this thread. */
export function takingSteps(
  { timeNs }: Moments,
  pops: readonly number[],
  calls: ThreadCalls,
  lastNs: Nanoseconds,
): TakingSteps {
  const steps: { pop: number; fromNs: number; toNs: number }[] = [];
  let next = 0;
  for (let call = 0; call < calls.startNs.length; call++) {
    const untilNs = calls.startNs[call + 1] ?? Number.POSITIVE_INFINITY;
    const first = next;
    for (; next < pops.length && timeNs[pops[next]] < untilNs; next++) {
      const toNs = timeNs[pops[next]];
      steps.push({ pop: pops[next], fromNs: next === first ? Math.min(calls.startNs[call], toNs) : toNs, toNs });
    }
    if (first === next) steps.push({ pop: NONE, fromNs: calls.startNs[call], toNs: calls.endNs[call] });
  }
  const fromNs = steps.map((step) => step.fromNs);
  return {
    length: steps.length,
    pop: steps.map(({ pop }) => pop),
    fromNs,
    toNs: steps.map(({ toNs }) => toNs),
    nextNs: [...fromNs.slice(1), lastNs],
  };
}

export interface Collected {
  /** The first and the last step that took. */
  readonly first: number;
  readonly last: number;
  /** The step after which the work begins: the last, or a call after it that found nothing left. */
  readonly end: number;
}

/**
 * A thread collects work if nothing else runs between its takes, and it then works at least twice as long as that took.
 *
 * @param isQuiet whether nothing else runs in the gap after a step
 * @param workNs how long the thread works in the gap after a step
 */
export function collectedSteps(
  { length, pop, toNs }: TakingSteps,
  isQuiet: (step: number) => boolean,
  workNs: (step: number) => Nanoseconds,
): Collected[] {
  const found: Collected[] = [];
  for (let first = 0; first < length; first++) {
    if (pop[first] === NONE) continue;
    let last = first;
    while (last + 1 < length && pop[last + 1] !== NONE && isQuiet(last)) last++;
    const end = last + 1 < length && pop[last + 1] === NONE && isQuiet(last) ? last + 1 : last;
    if (end > first && 2 * (toNs[end] - toNs[first]) <= workNs(end)) found.push({ first, last, end });
    first = last;
  }
  return found;
}

/** Returns the steps whose gaps decide: short ones before a longer one, and that. */
export function decidingSteps({ length, toNs, nextNs }: TakingSteps): number[] {
  const asked = new Set<number>();
  let work = length - 1;
  for (let step = length - 2; step >= 0; step--) {
    if (2 * (toNs[work] - toNs[step]) <= nextNs[work] - toNs[work]) asked.add(step).add(work);
    else work = step;
  }
  return [...asked].sort((a, b) => a - b);
}
