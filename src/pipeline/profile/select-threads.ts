/**
 * Reduces a profile to some of its threads.
 */

import { LossKinds } from '../../analysis/losses.js';
import type { Profile, Quality, ThreadProfile, TraceGap } from '../../model/profile/profile.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import { NONE } from '../../model/units.js';
import { nameMatcher } from '../../trace/records/thread-names.js';
import { noProcessIds, noThreadIds, noThreadNames, nothingSelected } from '../read/refusals.js';
import { TimeSums } from './quality.js';

/**
 * Returns the profile of the selected threads.
 *
 * @throws PtflameError NO_PROCESS_IDS, NO_THREAD_NAMES, NOTHING_SELECTED, or BAD_OPTION for threads of a merged profile
 */
export function selectThreads(profile: Profile, select: Omit<Selection, 'cpus'>): Profile {
  const { tids, pids, comm } = select;
  if (profile.meta.merged && tids) throw noThreadIds();
  if (pids && profile.threads.every(({ pid }) => pid === null)) throw noProcessIds();
  if (comm && profile.threads.every(({ comm }) => comm === null)) throw noThreadNames();
  const isNamed =
    comm &&
    nameMatcher(
      comm,
      profile.threads.flatMap((thread) => thread.comm ?? []),
    );
  const threads = profile.threads.filter((thread) => {
    return isSelected(thread, select) && (!isNamed || (thread.comm !== null && isNamed(thread.comm)));
  });
  if (threads.length === 0) throw nothingSelected();
  if (threads.length === profile.threads.length) return profile;
  return { ...profile, threads, quality: qualityOfThreads(threads, profile) };
}

function isSelected({ tid, pid }: ThreadProfile, { tids, pids }: Omit<Selection, 'cpus'>): boolean {
  return (!tids || tids.includes(tid)) && (!pids || pids.includes(pid ?? NONE));
}

/** Recomputes times and gaps for these threads; the rest is only known for the recording as a whole, and is kept. */
export function qualityOfThreads(threads: readonly ThreadProfile[], { quality, symbols }: Profile): Quality {
  const tids = new Set(threads.map(({ tid }) => tid));
  const gaps = quality.gaps.filter(({ tid }) => tids.has(tid));
  const times = new TimeSums();
  for (const thread of threads) times.add(thread, symbols.kind);
  return { ...quality, ...lossesOf(gaps), ...times };
}

function lossesOf(gaps: readonly TraceGap[]): Pick<Quality, 'gaps' | 'losses' | 'threadsCut' | 'lostNs'> {
  const losses = new LossKinds();
  for (const gap of gaps) losses.add(gap);
  const threadsCut = new Set(gaps.map(({ tid }) => tid)).size;
  const lostNs = gaps.reduce((sum, { lengthNs }) => sum + lengthNs, 0);
  return { gaps, losses: losses.build(), threadsCut, lostNs };
}
