/**
 * Makes a profile of any size from a recipe, without a trace.
 */

import type { Profile, ThreadProfile } from '../../src/model/profile/profile.js';
import { Random } from '../generator/random.js';
import { type CallPaths, callPaths, SPECIAL_NAMES } from './call-paths.js';
import { makeIdleThread, makeThread } from './thread.js';

export interface ProfileRecipe {
  readonly seed: number;
  /** About how many (thread, path) pairs there are in all threads. */
  readonly nodes: number;
  /** Threads share most paths. */
  readonly threads: number;
}

export const PROFILES = {
  '1k': { seed: 10, nodes: 1000, threads: 1 },
  '100k': { seed: 11, nodes: 100_000, threads: 12 },
  '100k-one-thread': { seed: 14, nodes: 100_000, threads: 1 },
  '2M': { seed: 13, nodes: 2_000_000, threads: 1 },
} as const satisfies Record<string, ProfileRecipe>;
export type ProfileName = keyof typeof PROFILES;

/** Each thread has this share of all paths. */
const SHARE_OF_PATHS = 0.55;
const FIRST_TID = 114_000;

export function makeProfile({ seed, nodes, threads: count }: ProfileRecipe): Profile {
  const random = new Random(seed);
  const paths = callPaths(Math.ceil(count === 1 ? nodes : nodes / count / SHARE_OF_PATHS), random);
  const threads: ThreadProfile[] = [];
  for (let left = nodes; left > nodes / count / 4; left -= (threads.at(-1) as ThreadProfile).tree.length)
    threads.push(makeThread(paths, FIRST_TID + threads.length, count === 1, random));
  if (count > 1) for (let idle = 0; idle < count / 3; idle++) threads.push(makeIdleThread(FIRST_TID + threads.length));
  const endNs = Math.max(...threads.map((thread) => thread.endNs));
  return {
    meta: {
      originNs: 858_572_000_000_000n,
      startNs: 0,
      endNs,
      scope: 'user',
      weight: 'ns',
      hasSwitches: null,
      part: null,
      recorded: null,
    },
    symbols: symbolsOf(paths),
    threads,
    together: null,
    durations: null,
    quality: qualityOf(threads),
  };
}

function symbolsOf({ functions }: CallPaths): Profile['symbols'] {
  return {
    length: functions.length,
    name: functions.map(({ name }) => name),
    kind: functions.map((_, row) => (row === 0 ? 1 : row < SPECIAL_NAMES.length ? 2 : 0)),
    dso: functions.map((_, row) => (row < SPECIAL_NAMES.length ? -1 : row % 7 < 5 ? 0 : 1 + (row % 3))),
    dsoName: ['/usr/sbin/server', '/usr/lib/libc.so.6', '/usr/lib/libm.so.6', '/usr/lib/libstdc++.so.6'],
  };
}

function qualityOf(threads: readonly ThreadProfile[]): Profile['quality'] {
  const sum = (of: (thread: ThreadProfile) => number) => threads.reduce((all, thread) => all + of(thread), 0);
  const events = 2 * sum(({ tree }) => tree.calls.reduce((all, calls) => all + calls, 0));
  return {
    lines: events,
    events,
    gapLines: 0,
    ignoredLines: 0,
    damagedLines: 0,
    firstDamaged: [],
    brokenInputs: [],
    losses: [],
    gaps: [],
    threadsCut: 0,
    inferredCalls: {
      OpenAtStart: sum(({ tree }) => tree.inferredCalls.reduce((all, calls) => all + calls, 0)),
      OpenAtEnd: 0,
      CutByGap: 0,
      Unwound: 0,
      HiddenJump: 0,
    },
    inferredEvents: 0,
    clockSteps: 0,
    unknownFlags: [],
    unknownFlagLines: 0,
    lostNs: 0,
    inferredNs: sum(({ tree }) => tree.inferredNs.reduce((all, ns) => all + ns, 0)),
    hiddenNs: 0,
    unknownNs: 0,
    totalNs: sum(({ startNs, endNs }) => endNs - startNs),
  };
}
