/**
 * Finds the locks that threads of a trace waited for, who held them, and what the holders did meanwhile.
 */

import { areAllEmpty, tableOf } from '../../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { partText } from '../../pipeline/replay/selection.js';
import type { FoundLock, FoundLocks, FoundLockWait, RecordedEvents } from '../../waits/locks/found-locks.js';
import type { Waits } from '../../waits/waits.js';
import { type TraceWaits, withWaits } from '../waits/ask-waits.js';
import { askHolders } from './ask-holders.js';
import { holdingsOf } from './holdings.js';
import { locksInputOf, parseAddress } from './locks-input.js';
import { describeWaits, slowestWaits, summarizeLocks } from './summarize-locks.js';

export interface LocksOptions {
  /** How many of the longest waits for locks to list one by one. Default: none. */
  readonly slowest?: number;
  /** Only the object at this address, in hexadecimal. */
  readonly address?: string;
}

/** @throws PtflameError as `analyze`, but recordings may lack Intel PT */
export function askLocks(
  inputs: readonly AnalyzedInput[],
  { slowest: count = 0, address }: LocksOptions = {},
  options: AnalyzeOptions = {},
): Promise<FoundLocks> {
  return withWaits(inputs, { ...options, asksAgain: true }, async (traceWaits) => {
    const { trace, threads, calls, waits, shown } = traceWaits;
    const input = locksInputOf(traceWaits, address === undefined ? null : parseAddress(address));
    const slowRows = slowestWaits(input, count);
    const holdings = holdingsOf(input, slowRows);
    const spotsOf = await askHolders(calls, holdings.asked);
    const locks = summarizeLocks(input, holdings, spotsOf);
    const slowest = describeWaits(input, slowRows, holdings, spotsOf);
    const named = new Set([...locks.flatMap(tidsOfLock), ...slowest.flatMap(tidsOfWait)]);
    return {
      ...{ locks, slowest, recorded: recordedEvents(traceWaits) },
      threads: new Map([...named].map((tid) => [tid, threads.of(tid)])),
      shownThreads: [...waits.tids].filter((tid) => threads.of(tid).isSelected).length,
      originNs: BigInt(trace.originSeconds ?? 0) * 1_000_000_000n,
      ...boundsOf(shown),
      part: partText(options),
      symbols: calls?.symbols ?? trace.symbols,
      profile: calls?.profile ?? null,
    };
  });
}

function tidsOfLock({ holders, wakers }: FoundLock): Tid[] {
  return [...holders, ...wakers].flatMap(({ tids }) => tids);
}

function tidsOfWait({ tid, waker, holder, holders }: FoundLockWait): Tid[] {
  return [tid, waker, holder, ...holders.flatMap(({ tids }) => tids)].filter((each) => each !== NONE);
}

/** Returns from when to when threads are known; zeros if there are none. */
function boundsOf({ startNs, endNs }: Waits): { startNs: Nanoseconds; endNs: Nanoseconds } {
  if (startNs.length === 0) return { startNs: 0, endNs: 0 };
  return {
    startNs: startNs.reduce((least, ns) => Math.min(least, ns)),
    endNs: endNs.reduce((most, ns) => Math.max(most, ns)),
  };
}

function recordedEvents({ trace: { samples, account }, waits }: TraceWaits): RecordedEvents {
  const has = (event: string) => tableOf(samples, event) !== null;
  const isIdle = waits.tids.length === 0 && areAllEmpty(samples);
  return {
    isIdle,
    hasSwitches: isIdle || waits.tids.length > 0,
    hasWakings: has('sched:sched_waking'),
    hasFutexes: has('syscalls:sys_enter_futex'),
    missingSides: account.sides.filter(({ isMissing }) => isMissing).map(({ side }) => side),
    lostSamples: account.sides.reduce((sum, { lost }) => sum + lost, account.samples.lost),
    unreadableSamples: account.samples.unreadable,
  };
}
