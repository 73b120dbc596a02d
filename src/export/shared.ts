/**
 * What several formats say in the same way.
 */

import { ownWeights, recordsSwitches } from '../analysis/tree/outside.js';
import type { CallEvents, LongestCalls } from '../model/calls/call-events.js';
import type { CallTree } from '../model/calls/call-tree.js';
import type { Profile, ThreadProfile, TraceMeta } from '../model/profile/profile.js';
import type { Nanoseconds } from '../model/units.js';
import { formatDuration, formatMany } from '../render/format.js';
import { qualitySummary } from '../render/quality-summary.js';
import { visibleText } from '../render/visible-text.js';

export function descriptionOf(profile: Profile): string[] {
  const { line, damage, warnings, notes } = qualitySummary(profile);
  const part = profile.meta.part === null ? [] : [`only ${profile.meta.part}`];
  return [line, ...part, ...damage, ...warnings, ...notes].map(visibleText);
}

/** "mysqld/101", or "thread/101" if its name is unknown: for tools with one name for a thread. */
export function threadName({ tid, comm }: Pick<ThreadProfile, 'tid' | 'comm'>): string {
  return `${visibleText(comm ?? 'thread')}/${tid}`;
}

const NS_PER_MS = 1_000_000n;

/**
 * From a time of the profile to ns since 1970, UTC; null: unknown. The recording says when it began, to the millisecond,
 * which is taken for its first event.
 */
export function wallClock({
  recorded,
  startNs,
  firstNs = startNs,
}: Pick<TraceMeta, 'recorded' | 'startNs' | 'firstNs'>): ((ns: Nanoseconds) => bigint) | null {
  const startedMs = Date.parse(recorded?.startedAt ?? '');
  if (!(startedMs > 0)) return null;
  const firstAtNs = BigInt(startedMs) * NS_PER_MS;
  return (ns) => firstAtNs + BigInt(Math.round(ns - firstNs));
}

/** What files for other tools show of a call path: the measures, and the values of each node without its callees. */
export interface Measure {
  readonly name: string;
  readonly unit: 'count' | 'nanoseconds';
  /** By node. */
  readonly valuesOf: (tree: CallTree, hasSwitches: boolean) => Float64Array;
}

const CALLS: Measure = { name: 'calls', unit: 'count', valuesOf: ({ calls }) => calls };
const INFERRED: Measure = { name: 'inferred_calls', unit: 'count', valuesOf: ({ inferredCalls }) => inferredCalls };
const WALL: Measure = { name: 'wall', unit: 'nanoseconds', valuesOf: ({ selfNs }) => selfNs };
const TIMES: readonly Measure[] = [
  WALL,
  { name: 'on_cpu', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'cpu', hasSwitches) },
  { name: 'off_cpu', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'off-cpu', hasSwitches) },
  { name: 'outside', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'outside', hasSwitches) },
];

/** Calls, then times, then inferred calls. A trace without times has nothing but calls; blocked time is of one kind. */
export function measuresOf({ weight, isBlockedTime }: Pick<TraceMeta, 'weight' | 'isBlockedTime'>): readonly Measure[] {
  if (isBlockedTime) return [CALLS, WALL, INFERRED];
  return weight === 'calls' ? [CALLS, INFERRED] : [CALLS, ...TIMES, INFERRED];
}

/** Returns what turns the tree of a thread into its values: a column for each measure, by node. */
export function valuesOfTrees(
  { meta, threads }: Profile,
  measures: readonly Measure[],
): (tree: CallTree) => Float64Array[] {
  const hasSwitches = threads.some(({ tree }) => recordsSwitches(tree, meta.hasSwitches));
  return (tree) => measures.map(({ valuesOf }) => valuesOf(tree, hasSwitches));
}

/**
 * Cuts calls at the borders of the time that their thread's profile has, so that sums over them are those of the profile:
 * of a selected part, single calls are otherwise whole, but what they called outside of it is missing.
 */
export function withinThread(
  { timeNs, node, kind }: CallEvents,
  { startNs, endNs }: Pick<ThreadProfile, 'startNs' | 'endNs'>,
): CallEvents {
  return { timeNs: timeNs.map((ns) => Math.min(Math.max(ns, startNs), endNs)), node, kind };
}

/** Returns "1,234 calls shorter than 5 µs"; null: all calls are there. */
export function leftOutText({ leftOut, minNs }: Pick<LongestCalls, 'leftOut' | 'minNs'>): string | null {
  return leftOut === 0 ? null : `${formatMany(leftOut, 'call')} shorter than ${formatDuration(minNs)}`;
}
