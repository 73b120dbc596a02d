/**
 * Adds up the time that threads had locks while others waited: by lock and by the holders' name, and for single waits.
 */
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { HeldPieces } from '../../waits/locks/held-time.js';
import { HolderSource } from '../../waits/locks/holders.js';
import { threadOf } from '../../waits/schedule/schedule.js';
import { addWaitsWithin } from '../../waits/summary/interval-sums.js';
import type { WaitSummer } from '../../waits/summary/wait-sums.js';
import { KeyedIntervals } from '../waits/keyed-intervals.js';
import { type LocksInput, releasePlaces } from './locks-input.js';

/** Time off the CPU, counted as often as the interval that it is in. */
class OffSums {
  offNs = 0;
  blockedNs = 0;
  wakeUpNs = 0;
  preemptedNs = 0;

  add({ offNs, blockedNs, wakeUpNs, preemptedNs }: WaitSummer, count: number): void {
    this.offNs += count * offNs;
    this.blockedNs += count * blockedNs;
    this.wakeUpNs += count * wakeUpNs;
    this.preemptedNs += count * preemptedNs;
  }
}

/** A row of `Holding` that is being summed up. */
export class HoldingSums {
  readonly tids = new Set<Tid>();
  readonly symbol: SymbolId;
  readonly key: number;
  waits = 0;
  heldNs = 0;
  probeNs = 0;
  /** Of holders whose schedule is known. */
  scheduledNs = 0;
  readonly off = new OffSums();
  private lastWait = NONE;

  constructor(key: number, symbol: SymbolId) {
    this.key = key;
    this.symbol = symbol;
  }

  /** What the holder did meanwhile is added by `addInterval`. */
  add(wait: number, { fromNs, toNs, source }: HeldPieces, piece: number, isScheduled: boolean): void {
    const ns = toNs[piece] - fromNs[piece];
    if (wait !== this.lastWait) this.waits++;
    this.lastWait = wait;
    this.heldNs += ns;
    if (source[piece] === HolderSource.Probe) this.probeNs += ns;
    if (isScheduled) this.scheduledNs += ns;
  }

  /** Adds what a holder did in an interval that is that of `count` pieces. */
  addInterval({ waits }: LocksInput, { tid, fromNs, toNs, count }: HeldInterval): void {
    this.off.add(addWaitsWithin(waits, tid, fromNs, toNs), count);
  }
}

interface HeldInterval {
  readonly tid: Tid;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly count: number;
}

export interface Holdings {
  /** By row of the objects. */
  readonly ofObject: readonly (readonly HoldingSums[])[];
  /** By slow wait. */
  readonly ofWait: readonly (readonly HoldingSums[])[];
  /** What holders are asked about. */
  readonly asked: KeyedIntervals;
}

/** `slowest`: waits whose holders are listed. */
export function holdingsOf(input: LocksInput, slowest: readonly number[]): Holdings {
  const collector = new HoldingCollector(input);
  const releasedIn = releasePlaces(input);
  const ofObject = holdingsByObject(input, collector, releasedIn);
  const ofWait = slowest.map((wait) => {
    const own = new Map<Tid, HoldingSums>();
    collector.add(wait, input.held.of(wait).pieces, (holder) => {
      return collector.row(own, holder, holder, releasedIn(input.objects.objectOf[wait], holder));
    });
    return [...own.values()];
  });
  collector.finish();
  return { ofObject, ofWait, asked: collector.asked };
}

/** Holders of one name that gave the object back in the same function are one row. */
function holdingsByObject(
  { held, objects, threads, waits }: LocksInput,
  collector: HoldingCollector,
  releasedIn: (object: number, holder: Tid) => SymbolId,
): HoldingSums[][] {
  const nameOf = (tid: Tid) => `${threads.of(tid).isRecorded} ${threads.of(tid).comm ?? tid}`;
  const byName = Array.from({ length: objects.length }, () => new Map<string, HoldingSums>());
  const byHolder = Array.from({ length: objects.length }, () => new Map<Tid, HoldingSums>());
  for (let wait = 0; wait < waits.length; wait++) {
    const object = objects.objectOf[wait];
    if (object === NONE) continue;
    collector.add(wait, held.of(wait).pieces, (holder) => {
      let row = byHolder[object].get(holder);
      if (row === undefined) {
        const symbol = releasedIn(object, holder);
        row = collector.row(byName[object], `${symbol} ${nameOf(holder)}`, holder, symbol);
        byHolder[object].set(holder, row);
      }
      return row;
    });
  }
  collector.finish();
  return byName.map((own) => [...own.values()]);
}

/** Many threads wait for the same hold: what the holder did in it is found once, and counted as often as they wait. */
class HoldingCollector {
  readonly asked = new KeyedIntervals();
  private readonly input: LocksInput;
  /** By key. */
  private readonly rows: HoldingSums[] = [];
  /** By hold: how many pieces are all of it, and the key of the row that they count for. */
  private readonly wholeOf: Int32Array;
  private readonly keyOf: Int32Array;
  private readonly scheduled = new Map<Tid, boolean>();

  constructor(input: LocksInput) {
    this.input = input;
    this.wholeOf = new Int32Array(input.locks.holds.length);
    this.keyOf = new Int32Array(input.locks.holds.length);
  }

  /** Returns the row of a key, and adds a holder to it. `symbol`: where it gave the object back. */
  row<Key>(rows: Map<Key, HoldingSums>, key: Key, holder: Tid, symbol: SymbolId): HoldingSums {
    let row = rows.get(key);
    if (row === undefined) {
      row = new HoldingSums(this.rows.length, symbol);
      this.rows.push(row);
      rows.set(key, row);
    }
    row.tids.add(holder);
    return row;
  }

  /** Adds the pieces of a wait. */
  add(wait: number, pieces: HeldPieces, rowOf: (holder: Tid) => HoldingSums): void {
    const { holder, hold, fromNs, toNs } = pieces;
    for (let piece = 0; piece < pieces.length; piece++) {
      const row = rowOf(holder[piece]);
      row.add(wait, pieces, piece, this.isScheduled(holder[piece]));
      const of = hold[piece];
      const isWhole = of !== NONE && fromNs[piece] === this.fromNs(of) && toNs[piece] === this.toNs(of);
      if (isWhole && this.isOf(row, of)) this.wholeOf[of]++;
      else this.addInterval(row, { tid: holder[piece], fromNs: fromNs[piece], toNs: toNs[piece], count: 1 });
    }
  }

  /** Counts the pieces that are all of a hold. */
  finish(): void {
    const { wholeOf, keyOf } = this;
    const { tid } = this.input.locks.holds;
    wholeOf.forEach((count, of) => {
      if (count === 0) return;
      const interval = { tid: tid[of], fromNs: this.fromNs(of), toNs: this.toNs(of), count };
      this.addInterval(this.rows[keyOf[of]], interval);
    });
    wholeOf.fill(0);
  }

  private isScheduled(tid: Tid): boolean {
    let isKnown = this.scheduled.get(tid);
    if (isKnown === undefined) this.scheduled.set(tid, (isKnown = threadOf(this.input.waits, tid) !== NONE));
    return isKnown;
  }

  private isOf({ key }: HoldingSums, hold: number): boolean {
    if (this.wholeOf[hold] === 0) this.keyOf[hold] = key;
    return this.keyOf[hold] === key;
  }

  private addInterval(row: HoldingSums, interval: HeldInterval): void {
    row.addInterval(this.input, interval);
    this.asked.add(interval.tid, interval.fromNs, interval.toNs, row.key, interval.count);
  }

  private fromNs(hold: number): Nanoseconds {
    return Math.max(this.input.locks.holds.fromNs[hold], this.input.window.startNs);
  }

  private toNs(hold: number): Nanoseconds {
    return Math.min(this.input.locks.holds.toNs[hold], this.input.window.endNs);
  }
}
