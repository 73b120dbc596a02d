/**
 * Sums up the quality of a profile from the account of reading and the replays of all threads.
 */

import { overlaps } from '../../analysis/log/filter-thread.js';
import { LongestGaps, LossKinds } from '../../analysis/losses.js';
import { DoubtTotals } from '../../model/calls/doubts.js';
import { assert } from '../../model/errors.js';
import type { ThreadProfile } from '../../model/profile/profile.js';
import {
  type InferenceName,
  type LineCounts,
  noInferences,
  type Quality,
  type TraceGap,
} from '../../model/profile/profile.js';
import { SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { type Bounds, type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { ThreadGap } from '../../replay/thread-replay.js';
import type { GapRecord } from '../../trace/records/gap-records.js';
import type { ReadAccount, Trace } from '../read/trace.js';
import type { ReplayedThread } from '../replay/trace-replayer.js';

/** The contribution of one thread to the quality of a profile. */
export interface ThreadQuality {
  readonly tid: Tid;
  readonly inferredCalls: Readonly<Record<InferenceName, number>>;
  readonly clockSteps: number;
  /** Hits of probes whose damage was taken out. */
  readonly mendedNs: Float64Array;
  readonly inferredEvents: number;
  readonly lost: readonly ThreadGap[];
  /** perf's errors, by time. */
  readonly errors: readonly GapRecord[];
  readonly times: TimeSums;
}

/** Each thread must be added once, in the order of tids. */
export class QualityBuilder {
  private readonly losses = new LossKinds();
  private readonly gaps = new LongestGaps();
  private readonly inferredCalls = noInferences();
  private readonly sums = { clockSteps: 0, threadsCut: 0, inferredEvents: 0 };
  private readonly times = new TimeSums();
  private lostNs = 0;
  private mendedHits = 0;

  /** `shiftNs`: from the trace's time 0 to the profile's. `window`: the selected time, in the trace's time. */
  constructor(
    private readonly trace: Trace,
    private readonly shiftNs: Nanoseconds,
    private readonly window: Bounds | null,
  ) {}

  /** `callersBelow`: the number of callers below the thread's first stack that only other threads show. */
  static threadQuality(
    profile: ThreadProfile,
    { thread, replay }: ReplayedThread,
    callersBelow: number,
    kinds: SymbolTable['kind'],
  ): ThreadQuality {
    const { inferred, inferredEvents, lost } = replay;
    const { clockSteps, gaps: errors, mendedNs } = thread;
    const inferredCalls = { ...inferred, OpenAtStart: inferred.OpenAtStart + callersBelow };
    const times = new TimeSums();
    times.add(profile, kinds);
    return { tid: profile.tid, inferredCalls, clockSteps, mendedNs, inferredEvents, lost, errors, times };
  }

  add({ tid, inferredCalls, clockSteps, mendedNs, inferredEvents, lost, errors, times }: ThreadQuality): void {
    for (const reason of Object.keys(inferredCalls) as InferenceName[])
      this.inferredCalls[reason] += inferredCalls[reason];
    this.sums.clockSteps += clockSteps;
    this.sums.inferredEvents += inferredEvents;
    this.mendedHits += mendedNs.filter((atNs) => isWithin(atNs, this.window)).length;
    this.times.addAll(times);
    this.addLost(tid, lost, errors);
  }

  build(): Quality {
    const { sums, mendedHits, lostNs } = this;
    const { codeNs, doubts, ...times } = this.times;
    const inferredBy = doubts.build();
    const { account } = this.trace;
    return {
      ...countsOf(account),
      ...(account.samples.lines > 0 && { sampleLines: account.samples.lines }),
      ...(account.otherSamples.length > 0 && { otherSamples: account.otherSamples }),
      firstDamaged: account.firstDamaged,
      brokenInputs: account.broken.toSorted((a, b) => (a.input === b.input ? 0 : a.input < b.input ? -1 : 1)),
      losses: this.losses.build(),
      gaps: this.gaps.build(),
      inferredCalls: this.inferredCalls,
      ...sums,
      ...(lostNs > 0 && { codeNs }),
      ...(mendedHits > 0 && { mendedHits }),
      ...(account.leftOutCalls > 0 && { leftOutCalls: account.leftOutCalls }),
      unknownFlags: account.unknownFlags.words,
      unknownFlagLines: account.unknownFlags.lines,
      lostNs,
      ...times,
      ...(times.inferredNs + times.hiddenNs > 0 && inferredBy && { inferredBy }),
    };
  }

  /** `errors`: perf's, by time; each gap accounts for the next `threadGap.errors` of them. */
  private addLost(tid: Tid, lost: readonly ThreadGap[], errors: readonly GapRecord[]): void {
    let error = 0;
    let gaps = 0;
    for (const threadGap of lost) {
      const seen = clipped(threadGap, this.window);
      error += threadGap.errors;
      if (seen === null) continue;
      this.addGap(this.gapOf(tid, seen, threadGap.errors > 0 ? errors[error - threadGap.errors] : undefined));
      gaps++;
    }
    if (gaps > 0) this.sums.threadsCut++;
  }

  private addGap(gap: TraceGap): void {
    this.losses.add(gap);
    this.gaps.add(gap);
    this.lostNs += gap.lengthNs;
  }

  private gapOf(tid: Tid, threadGap: ThreadGap, error: GapRecord | undefined): TraceGap {
    const { atNs, lengthNs, ip, isLast } = threadGap;
    const { undecoded } = this.trace.store;
    const at = { tid, atNs: atNs - this.shiftNs, lengthNs };
    if (error === undefined) {
      const file = undecoded.fileWithoutCode(tid, { pid: NONE, ip, timeNs: atNs });
      const isUndecoded = isLast || file !== null || (undecoded.lacksCode && lengthNs > 0);
      return isUndecoded ? { ...at, cause: 'undecoded', file } : { ...at, cause: 'unannounced' };
    }
    const { code, message } = error;
    return { ...at, cause: 'decode-error', code, message, file: undecoded.fileOf(tid, error) };
  }
}

function isWithin(atNs: Nanoseconds, window: Bounds | null): boolean {
  return window === null || (window.startNs <= atNs && atNs < window.endNs);
}

/** Returns the selected part of a gap; null: none of it is selected. */
function clipped(threadGap: ThreadGap, window: Bounds | null): ThreadGap | null {
  const { atNs, lengthNs } = threadGap;
  if (threadGap.isInside === false) return null;
  if (window === null) return threadGap;
  if (!overlaps(window, atNs, atNs + lengthNs)) return null;
  const startNs = Math.max(atNs, window.startNs);
  return { ...threadGap, atNs: startNs, lengthNs: Math.min(atNs + lengthNs, window.endNs) - startNs };
}

/** Wall time over all threads, as in `Quality`. */
export class TimeSums {
  inferredNs = 0;
  hiddenNs = 0;
  unknownNs = 0;
  totalNs = 0;
  codeNs = 0;
  readonly doubts = new DoubtTotals();

  addAll({ inferredNs, hiddenNs, unknownNs, totalNs, codeNs, doubts }: TimeSums): void {
    this.doubts.addAll(doubts.build());
    this.inferredNs += inferredNs;
    this.hiddenNs += hiddenNs;
    this.unknownNs += unknownNs;
    this.totalNs += totalNs;
    this.codeNs += codeNs;
  }

  /** `kinds`: by symbol. */
  add({ tree, hiddenNs }: ThreadProfile, kinds: SymbolTable['kind']): void {
    const { length, inferredNs, selfNs, symbol } = tree;
    this.doubts.addTree(tree);
    let threadInferredNs = 0;
    for (let node = 0; node < length; node++) {
      this.totalNs += selfNs[node];
      threadInferredNs += inferredNs[node];
      if (kinds[symbol[node]] !== SymbolKind.Synthetic) this.codeNs += selfNs[node];
      if (kinds[symbol[node]] === SymbolKind.Unknown) this.unknownNs += selfNs[node];
    }
    this.hiddenNs += hiddenNs;
    this.inferredNs += threadInferredNs - hiddenNs; // both are exact for one thread, so the difference is never negative
  }
}

function countsOf({ counts, unwanted }: ReadAccount): LineCounts {
  const events = counts.events - unwanted;
  const ignoredLines = counts.ignoredLines + unwanted;
  const { lines, gapLines, damagedLines } = counts;
  assert(lines === events + gapLines + ignoredLines + damagedLines, 'a line was counted twice or not at all');
  return { ...counts, events, ignoredLines };
}
