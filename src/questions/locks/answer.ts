/**
 * Turns the locks of a trace into the answer that `ptflame locks` prints.
 */
import type { SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId, type Tid } from '../../model/units.js';
import type {
  FoundLock,
  FoundLocks,
  FoundLockWait,
  HeldSums,
  Holding,
  LockWaker,
  Spot,
  WaitingPlace,
} from '../../waits/locks/found-locks.js';
import { HolderSource } from '../../waits/locks/holders.js';
import { Reason } from '../../waits/reason.js';
import type { Distribution } from '../../waits/summary/distribution.js';
import { clockText, finiteOrNull, type Named, named, PRODUCER, percentilesOrNulls, qualityOf } from '../common.js';
import { missingOf } from '../waits/missing.js';
import type { WaitThread } from '../waits/schema.js';
import { addressText, reasonName, waitThread } from '../waits/wait-names.js';
import type * as schema from './schema.js';

export function locksAnswer(result: FoundLocks): schema.Locks {
  const { locks, slowest, recorded, profile, startNs, endNs, shownThreads } = result;
  const naming = new LockNames(result);
  const rows = locks.map((lock) => naming.lock(lock));
  return {
    format: 'ptflame-locks',
    version: 2,
    producer: PRODUCER,
    trace: {
      start: clockText(result, startNs),
      durationNs: endNs - startNs,
      threads: shownThreads,
      hasCalls: profile !== null,
      hasSwitches: recorded.hasSwitches,
      part: result.part,
    },
    missing: missingOf({ ...recorded, hasCalls: profile !== null, hasUnseenWakers: rows.some(hasUnseenWaker) }),
    total: totalOf(locks.filter(({ kind }) => isLock(kind))),
    locks: rows,
    slowest: slowest.map((wait) => naming.wait(wait)),
    quality: profile && qualityOf(profile),
  };
}

function isLock(kind: Reason): boolean {
  return kind === Reason.Mutex || kind === Reason.RwLock;
}

function hasUnseenWaker({ wakers }: schema.LockRow): boolean {
  return wakers.some(({ kind }) => kind === 'not-seen');
}

function totalOf(locks: readonly FoundLock[]): schema.Locks['total'] {
  const held = { waits: 0, waitedNs: 0, probeNs: 0, futexNs: 0, passedOnNs: 0, wakeUpNs: 0, unknownNs: 0 };
  const total = { ...held, openWaits: 0, cutWaits: 0, openNs: 0 };
  const keys = Object.keys(total) as (keyof typeof total)[];
  for (const lock of locks) for (const key of keys) total[key] += lock[key];
  return { locks: locks.length, ...total };
}

const SOURCES = { [HolderSource.None]: null, [HolderSource.Futex]: 'futex', [HolderSource.Probe]: 'probe' } as const;

class LockNames {
  private readonly result: FoundLocks;
  private readonly symbols: SymbolTable;

  constructor(result: FoundLocks) {
    this.result = result;
    this.symbols = result.symbols;
  }

  lock(lock: FoundLock): schema.LockRow {
    const { convoy, durations, wakeUps, openWaits, cutWaits, openNs, longestOpenNs } = lock;
    return {
      ...identityOf(lock),
      isLock: isLock(lock.kind),
      ...heldOf(lock),
      ...{ openWaits, cutWaits, openNs, longestOpenNs },
      ...distribution(durations),
      convoy,
      wakeUps: { waits: wakeUps.count, ...distribution(wakeUps) },
      places: lock.places.map((place) => this.place(place)),
      holders: lock.holders.map((holding) => this.holder(holding)),
      wakers: lock.wakers.map((waker) => this.waker(waker)),
    };
  }

  wait(wait: FoundLockWait): schema.LockWait {
    const { tid, symbol, fromNs, toNs, holder, holderSource, waker, isWakerCandidate, holders } = wait;
    return {
      ...identityOf(wait),
      thread: this.thread(tid),
      function: this.name(symbol),
      start: clockText(this.result, fromNs),
      ...heldOf({ ...wait, waits: 1, waitedNs: toNs - fromNs }),
      holder: holder === NONE ? null : this.thread(holder),
      holderSource: SOURCES[holderSource],
      waker: waker === NONE ? null : this.thread(waker),
      isWakerCandidate,
      holders: holders.map((holding) => this.holder(holding)),
    };
  }

  private place({ symbol, call, waits, waitedNs }: WaitingPlace): schema.LockRow['places'][number] {
    return { function: this.name(symbol), call: this.name(call), waits, waitedNs };
  }

  private holder({ tids, symbol, spots, ...sums }: Holding): schema.LockHolder {
    return {
      threads: tids.map((tid) => this.thread(tid)),
      function: this.name(symbol),
      ...sums,
      spots: spots.map((spot) => this.spot(spot)),
    };
  }

  private spot({ ns, symbol, path }: Spot): schema.LockHolder['spots'][number] {
    return { ns, function: this.name(symbol), path: path.map((each) => named(this.symbols, each)) };
  }

  private waker({ tids, symbol, waits, waitedNs, isCandidate, isInterrupt, isOpen }: LockWaker) {
    const kind = isOpen ? 'open' : isInterrupt ? 'interrupt' : tids.length === 0 ? 'not-seen' : 'thread';
    const threads = tids.map((tid) => this.thread(tid));
    return { kind, threads, function: this.name(symbol), isCandidate, waits, waitedNs } as const;
  }

  private thread(tid: Tid): WaitThread {
    return waitThread(this.result.threads.get(tid) ?? { tid, pid: null, comm: null, isRecorded: false });
  }

  private name(symbol: SymbolId): Named | null {
    return symbol === NONE ? null : named(this.symbols, symbol);
  }
}

function identityOf({ pid, address, kind }: Pick<FoundLock, 'pid' | 'address' | 'kind'>) {
  return { pid, address: addressText(address), kind: reasonName(kind) };
}

function heldOf(sums: HeldSums & Pick<FoundLock, 'waits' | 'waitedNs'>) {
  const { waits, waitedNs, probeNs, futexNs, passedOnNs, wakeUpNs, unknownNs } = sums;
  return { waits, waitedNs, probeNs, futexNs, passedOnNs, wakeUpNs, unknownNs };
}

function distribution(durations: Distribution) {
  return {
    avgNs: finiteOrNull(durations.avgNs),
    ...percentilesOrNulls(durations),
    maxNs: finiteOrNull(durations.maxNs),
  };
}
