/**
 * Sums up the waits for each lock: by place, by holder, by waker.
 */
import { NONE, type SymbolId, type Tid } from '../../model/units.js';
import { rowsOf } from '../../waits/input/group-rows.js';
import { HolderSource } from '../../waits/locks/lock-waits.js';
import { longestConvoy } from '../../waits/locks/waited-objects.js';
import { Reason } from '../../waits/reason.js';
import { type Distribution, distributionOf } from '../../waits/summary/distribution.js';
import { wakeUpNsOf } from '../../waits/summary/wait-sums.js';
import { clockText, finiteOrNull, originOf, percentilesOrNulls } from '../common.js';
import { EndedBy } from '../waits/wait-facts.js';
import { addressText, knownName, reasonName, waitPlace, waitThread } from '../waits/wait-names.js';
import { type HoldingSums, type Holdings, holderRow, type SpotsOf } from './holdings.js';
import type { LocksInput } from './locks-input.js';
import type { LockRow, Locks, LockWait } from './schema.js';

/** Most time first. */
export function summarizeLocks(input: LocksInput, { ofObject }: Holdings, spotsOf: SpotsOf): LockRow[] {
  const { shown: waits, objects } = input;
  const locks = ofObject.map((holdings, object) => {
    const rows = rowsOf(objects.byObject, object);
    const ended = rows.filter((wait) => !waits.isOpen[wait] && !waits.isCut[wait]);
    const open = rows.filter((wait) => waits.isOpen[wait]);
    const partly = rows.filter((wait) => waits.isOpen[wait] || waits.isCut[wait]);
    const wakeUps = Float64Array.from(rows, (wait) => wakeUpNsOf(waits, wait)).filter((ns) => !Number.isNaN(ns));
    const kind = objects.kind[object];
    return {
      row: {
        ...identityOf(input, object),
        isLock: kind === Reason.Mutex || kind === Reason.RwLock,
        ...heldSums(input, rows),
        openWaits: open.length,
        cutWaits: rows.filter((wait) => waits.isCut[wait]).length,
        openNs: heldSums(input, open).unknownNs,
        longestOpenNs: partly.reduce((longest, wait) => Math.max(longest, waits.inNs[wait] - waits.outNs[wait]), 0),
        ...distribution(distributionOf(Float64Array.from(ended, (wait) => waits.inNs[wait] - waits.outNs[wait]))),
        convoy: longestConvoy(waits, rows),
        wakeUps: { waits: wakeUps.length, ...distribution(distributionOf(wakeUps)) },
        places: placesOf(input, rows),
        holders: holderRows(input, holdings, spotsOf).sort((a, b) => b.heldNs - a.heldNs),
        wakers: wakersOf(input, rows),
      },
      address: objects.address[object],
    };
  });
  const shown = locks.filter(({ row }) => row.waits > 0);
  shown.sort((a, b) => b.row.waitedNs - a.row.waitedNs || a.row.pid - b.row.pid || a.address - b.address);
  return shown.map(({ row }) => row);
}

/** Of mutexes and read-write locks. */
export function totalOf(rows: readonly LockRow[]): Locks['total'] {
  const locks = rows.filter(({ isLock }) => isLock);
  const held = { waits: 0, waitedNs: 0, probeNs: 0, futexNs: 0, passedOnNs: 0, wakeUpNs: 0, unknownNs: 0 };
  const total = { ...held, openWaits: 0, cutWaits: 0, openNs: 0 };
  const keys = Object.keys(total) as (keyof typeof total)[];
  for (const lock of locks) for (const key of keys) total[key] += lock[key];
  return { locks: locks.length, ...total };
}

function distribution(durations: Distribution) {
  return {
    avgNs: finiteOrNull(durations.avgNs),
    ...percentilesOrNulls(durations),
    maxNs: finiteOrNull(durations.maxNs),
  };
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

const SOURCES = { [HolderSource.None]: null, [HolderSource.Futex]: 'futex', [HolderSource.Probe]: 'probe' } as const;

export function describeWaits(
  input: LocksInput,
  slowest: readonly number[],
  { ofWait }: Holdings,
  spotsOf: SpotsOf,
): LockWait[] {
  const { trace, shown: waits, objects, facts, locks, symbols } = input;
  const threadOf = (tid: Tid) => (tid === NONE ? null : waitThread(input.threads.of(tid)));
  return slowest.map((wait, at) => ({
    ...identityOf(input, objects.objectOf[wait]),
    thread: waitThread(input.threads.of(waits.tid[wait])),
    function: knownName(symbols, facts.placeOf(wait).symbol),
    start: clockText({ originNs: originOf(trace) }, waits.outNs[wait]),
    ...heldSums(input, Uint32Array.of(wait)),
    holder: threadOf(locks.holder[wait]),
    holderSource: SOURCES[locks.holderSource[wait] as HolderSource],
    waker: threadOf(waits.waker[wait]),
    isWakerCandidate: facts.endedBy(wait) === EndedBy.MaybeThread,
    holders: holderRows(input, ofWait[at], spotsOf),
  }));
}

function holderRows(input: LocksInput, holdings: readonly HoldingSums[], spotsOf: SpotsOf) {
  return holdings.map((sums) => holderRow(input, sums, spotsOf));
}

function identityOf({ objects }: LocksInput, object: number): Pick<LockRow, 'pid' | 'address' | 'kind'> {
  return {
    pid: objects.pid[object],
    address: addressText(objects.address[object]),
    kind: reasonName(objects.kind[object]),
  };
}

function heldSums({ held, shown: waits, locks }: LocksInput, rows: Uint32Array) {
  const sums = { waits: 0, waitedNs: 0, probeNs: 0, futexNs: 0, passedOnNs: 0, wakeUpNs: 0, unknownNs: 0 };
  for (const wait of rows) {
    const { pieces, passedOnNs, wakeUpNs, unknownNs } = held.of(wait);
    const waitedNs = waits.inNs[wait] - waits.outNs[wait];
    sums.waits++;
    sums.waitedNs += waitedNs;
    sums.passedOnNs += passedOnNs;
    sums.wakeUpNs += wakeUpNs;
    sums.unknownNs += locks.lock[wait] === NONE ? waitedNs : unknownNs;
    for (let piece = 0; piece < pieces.length; piece++) {
      const ns = pieces.toNs[piece] - pieces.fromNs[piece];
      if (pieces.source[piece] === HolderSource.Probe) sums.probeNs += ns;
      else sums.futexNs += ns;
    }
  }
  return sums;
}

/**
 * Groups the waits for one lock by where threads waited, and by who ended them.
 *
 * Most time first.
 */
function placesOf({ shown: waits, facts, symbols }: LocksInput, rows: Uint32Array): LockRow['places'] {
  const places = new Map<string, { symbol: SymbolId; call: SymbolId; waits: number; waitedNs: number }>();
  for (const wait of rows) {
    const { symbol, call } = facts.placeOf(wait);
    const key = `${symbol} ${call}`;
    const place = places.get(key) ?? { symbol, call, waits: 0, waitedNs: 0 };
    places.set(key, place);
    place.waits++;
    place.waitedNs += waits.inNs[wait] - waits.outNs[wait];
  }
  return mostTimeFirst([...places.values()]).map(({ waits, waitedNs, ...place }) => {
    return { ...waitPlace(symbols, place), waits, waitedNs };
  });
}

/** Most time first; threads of one name that did it in the same function are one row. */
function wakersOf(input: LocksInput, rows: Uint32Array): LockRow['wakers'] {
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
  return mostTimeFirst([...wakers.values()].map((sums) => sums.build(input)));
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

  build({ threads, symbols }: LocksInput): LockRow['wakers'][number] {
    const { endedBy, tids, symbol, waits, waitedNs } = this;
    const byThread = tids.size === 0 ? 'not-seen' : 'thread';
    return {
      kind: endedBy === EndedBy.Open ? 'open' : endedBy === EndedBy.Interrupt ? 'interrupt' : byThread,
      threads: [...tids].sort((a, b) => a - b).map((tid) => waitThread(threads.of(tid))),
      function: knownName(symbols, symbol),
      isCandidate: endedBy === EndedBy.MaybeThread,
      ...{ waits, waitedNs },
    };
  }
}

function mostTimeFirst<Row extends { readonly waitedNs: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => b.waitedNs - a.waitedNs);
}
