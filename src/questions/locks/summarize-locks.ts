/**
 * Sums up the waits for each lock: by place, by holder, by waker.
 */
import { type Address, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { rowsOf } from '../../waits/input/group-rows.js';
import { longestConvoy } from '../../waits/locks/convoys.js';
import type {
  FoundLock,
  FoundLockWait,
  HeldSums,
  Holding,
  LockWaker,
  WaitingPlace,
} from '../../waits/locks/found-locks.js';
import { HolderSource } from '../../waits/locks/holders.js';
import type { Reason } from '../../waits/reason.js';
import { distributionOf } from '../../waits/summary/distribution.js';
import { wakeUpNsOf } from '../../waits/summary/wait-sums.js';
import { EndedBy } from '../waits/wait-facts.js';
import type { SpotsOf } from './ask-holders.js';
import type { HoldingSums, Holdings } from './holdings.js';
import type { LocksInput } from './locks-input.js';

/** Most time first. */
export function summarizeLocks(input: LocksInput, { ofObject }: Holdings, spotsOf: SpotsOf): FoundLock[] {
  const { shown: waits, objects } = input;
  const locks = ofObject.map((holdings, object): FoundLock => {
    const rows = rowsOf(objects.byObject, object);
    const ended = rows.filter((wait) => !waits.isOpen[wait] && !waits.isCut[wait]);
    const open = rows.filter((wait) => waits.isOpen[wait]);
    const partly = rows.filter((wait) => waits.isOpen[wait] || waits.isCut[wait]);
    const wakeUps = Float64Array.from(rows, (wait) => wakeUpNsOf(waits, wait)).filter((ns) => !Number.isNaN(ns));
    return {
      ...identityOf(input, object),
      ...heldSums(input, rows),
      waitedNs: rows.reduce((sum, wait) => sum + waits.inNs[wait] - waits.outNs[wait], 0),
      waits: rows.length,
      openWaits: open.length,
      cutWaits: rows.filter((wait) => waits.isCut[wait]).length,
      longestOpenNs: partly.reduce((longest, wait) => Math.max(longest, waits.inNs[wait] - waits.outNs[wait]), 0),
      openNs: heldSums(input, open).unknownNs,
      durations: distributionOf(Float64Array.from(ended, (wait) => waits.inNs[wait] - waits.outNs[wait])),
      wakeUps: distributionOf(wakeUps),
      convoy: longestConvoy(waits, rows),
      places: placesOf(input, rows),
      holders: holdings.map((sums) => holdingOf(sums, spotsOf)).sort((a, b) => b.heldNs - a.heldNs),
      wakers: wakersOf(input, rows),
    };
  });
  const shown = locks.filter(({ waits }) => waits > 0);
  return shown.sort((a, b) => b.waitedNs - a.waitedNs || a.pid - b.pid || a.address - b.address);
}

/** Returns the rows of the longest waits for locks whose holders can be known, longest first; of those that ended. */
export function slowestWaits({ shown: waits, objects, locks }: LocksInput, count: number): number[] {
  if (count === 0) return [];
  const { objectOf } = objects;
  const rows = [...objectOf.keys()].filter(
    (wait) => objectOf[wait] !== NONE && locks.lock[wait] !== NONE && !waits.isOpen[wait],
  );
  const nsOf = (wait: number) => waits.inNs[wait] - waits.outNs[wait];
  return rows.sort((a, b) => nsOf(b) - nsOf(a) || a - b).slice(0, count);
}

export function describeWaits(
  input: LocksInput,
  slowest: readonly number[],
  { ofWait }: Holdings,
  spotsOf: SpotsOf,
): FoundLockWait[] {
  const { shown: waits, objects, facts, locks } = input;
  return slowest.map((wait, at) => ({
    ...identityOf(input, objects.objectOf[wait]),
    ...heldSums(input, Uint32Array.of(wait)),
    tid: waits.tid[wait],
    fromNs: waits.outNs[wait],
    toNs: waits.inNs[wait],
    symbol: facts.placeOf(wait).symbol,
    waker: waits.waker[wait],
    isWakerCandidate: facts.endedBy(wait) === EndedBy.MaybeThread,
    holder: locks.holder[wait],
    holderSource: locks.holderSource[wait] as HolderSource,
    holders: ofWait[at].map((sums) => holdingOf(sums, spotsOf)),
  }));
}

function identityOf({ objects }: LocksInput, object: number): { pid: number; address: Address; kind: Reason } {
  return {
    pid: objects.pid[object],
    address: objects.address[object],
    kind: objects.kind[object] as Reason,
  };
}

function heldSums({ held, shown: waits, locks }: LocksInput, rows: Uint32Array): HeldSums {
  const sums = { probeNs: 0, futexNs: 0, passedOnNs: 0, wakeUpNs: 0, unknownNs: 0 };
  for (const wait of rows) {
    const { pieces, passedOnNs, wakeUpNs, unknownNs } = held.of(wait);
    sums.passedOnNs += passedOnNs;
    sums.wakeUpNs += wakeUpNs;
    sums.unknownNs += locks.lock[wait] === NONE ? waits.inNs[wait] - waits.outNs[wait] : unknownNs;
    for (let piece = 0; piece < pieces.length; piece++) {
      const ns = pieces.toNs[piece] - pieces.fromNs[piece];
      if (pieces.source[piece] === HolderSource.Probe) sums.probeNs += ns;
      else sums.futexNs += ns;
    }
  }
  return sums;
}

function holdingOf(sums: HoldingSums, spotsOf: SpotsOf): Holding {
  const { tids, symbol, waits, heldNs, probeNs, scheduledNs, off } = sums;
  return {
    ...{ tids: [...tids].sort((a, b) => a - b), symbol, waits, heldNs, probeNs },
    ranNs: Math.max(0, scheduledNs - off.offNs),
    blockedNs: off.blockedNs + off.wakeUpNs,
    preemptedNs: off.preemptedNs,
    spots: spotsOf(sums.key),
  };
}

/**
 * Groups the waits for one lock by where threads waited, and by who ended them.
 *
 * Most time first.
 */
function placesOf({ shown: waits, facts }: LocksInput, rows: Uint32Array): WaitingPlace[] {
  const places = new Map<string, { symbol: SymbolId; call: SymbolId; waits: number; waitedNs: number }>();
  for (const wait of rows) {
    const { symbol, call } = facts.placeOf(wait);
    const key = `${symbol} ${call}`;
    const place = places.get(key) ?? { symbol, call, waits: 0, waitedNs: 0 };
    places.set(key, place);
    place.waits++;
    place.waitedNs += waits.inNs[wait] - waits.outNs[wait];
  }
  return mostTimeFirst([...places.values()]);
}

/** Most time first; threads of one name that did it in the same function are one row. */
function wakersOf(input: LocksInput, rows: Uint32Array): LockWaker[] {
  const { waits, facts } = input;
  const wakers = new Map<string, WakerSums>();
  const known = new Map<Tid, Map<number, WakerSums>>(); // names are compared once for each thread, end and function
  for (const wait of rows) {
    const ofThread = known.get(waits.waker[wait]) ?? new Map<number, WakerSums>();
    known.set(waits.waker[wait], ofThread);
    const endAndPlace = facts.wakerPlaceOf(wait).symbol * MAX_ENDS + facts.endedBy(wait);
    let own = ofThread.get(endAndPlace);
    if (own === undefined) {
      const key = wakerKey(input, wait);
      own = wakers.get(key) ?? new WakerSums(input, wait);
      wakers.set(key, own);
      ofThread.set(endAndPlace, own);
    }
    own.add(input, wait);
  }
  return mostTimeFirst([...wakers.values()].map((sums) => sums.build()));
}

/** More than there are values of EndedBy. */
const MAX_ENDS = 16;

function wakerKey({ waits, facts, threads }: LocksInput, wait: number): string {
  const tid = waits.waker[wait];
  const thread = tid === NONE ? null : threads.of(tid);
  return `${facts.endedBy(wait)} ${facts.wakerPlaceOf(wait).symbol} ${thread?.isRecorded} ${thread?.comm ?? tid}`;
}

class WakerSums {
  private readonly endedBy: EndedBy;
  private readonly symbol: SymbolId;
  private readonly tids = new Set<Tid>();
  private waits = 0;
  private waitedNs = 0;

  constructor({ facts }: LocksInput, wait: number) {
    this.endedBy = facts.endedBy(wait);
    this.symbol = facts.wakerPlaceOf(wait).symbol;
  }

  add({ shown: waits }: LocksInput, wait: number): void {
    if (waits.waker[wait] !== NONE && this.endedBy !== EndedBy.Open) this.tids.add(waits.waker[wait]);
    this.waits++;
    this.waitedNs += waits.inNs[wait] - waits.outNs[wait];
  }

  build(): LockWaker {
    const { endedBy, symbol, waits, waitedNs } = this;
    return {
      ...{ tids: [...this.tids].sort((a, b) => a - b), symbol, waits, waitedNs },
      isCandidate: endedBy === EndedBy.MaybeThread,
      isInterrupt: endedBy === EndedBy.Interrupt,
      isOpen: endedBy === EndedBy.Open,
    };
  }
}

function mostTimeFirst<Row extends { readonly waitedNs: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => b.waitedNs - a.waitedNs);
}
