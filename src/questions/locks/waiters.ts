/**
 * Groups the waits for one lock by where threads waited, and by who ended them.
 */
import { NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { LockWaker, WaitingPlace } from '../../waits/locks/found-locks.js';
import { EndedBy } from '../waits/wait-facts.js';
import type { LocksInput } from './locks-input.js';

/** Most time first. */
export function placesOf({ shown: waits, facts }: LocksInput, rows: Uint32Array): WaitingPlace[] {
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
export function wakersOf(input: LocksInput, rows: Uint32Array): LockWaker[] {
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
