/**
 * Turns the stacks of all threads at a point in time into the answer that `ptflame stacks` prints.
 */

import type { StackFrame } from '../../analysis/log/spans.js';
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { Profile, ThreadProfile } from '../../model/profile/profile.js';
import type { Nanoseconds } from '../../model/units.js';
import { clockText, headOf, named, qualityOf, traceSummary } from '../common.js';
import type { Stacks } from './schema.js';

/** A thread at that time; its outermost frame first. */
export interface StackOfThread extends Pick<ThreadProfile, 'tid' | 'pid' | 'comm'> {
  readonly frames: readonly StackFrame[];
}

export function stacksAnswer(profile: Profile, atNs: Nanoseconds, stacks: readonly StackOfThread[]): Stacks {
  const { meta, symbols } = profile;
  return {
    ...headOf('ptflame-stacks'),
    trace: traceSummary(profile, treeOfAllThreads(profile)),
    at: clockText(meta, atNs),
    threads: stacks.map(({ tid, pid, comm, frames }) => ({
      ...{ tid, pid, comm },
      frames: frames.map(({ symbol, sinceNs, isStartSeen }) => {
        return { ...named(symbols, symbol), since: clockText(meta, sinceNs), sinceNs: atNs - sinceNs, isStartSeen };
      }),
    })),
    quality: qualityOf(profile),
  };
}
