/**
 * Adds up the time that threads had locks while others waited, by lock and by the holders' name, and for single waits; and
 * asks what the holders did meanwhile.
 */
import { isStop } from '../../analysis/tree/outside.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { SpecialSymbol, type SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId, type Tid } from '../../model/units.js';
import type { HeldPieces } from '../../waits/locks/held-time.js';
import { HolderSource } from '../../waits/locks/lock-waits.js';
import { threadOf } from '../../waits/schedule.js';
import { addWaitsWithin, type WaitSummer } from '../../waits/summary/wait-sums.js';
import { named } from '../common.js';
import { KeyedIntervals } from '../waits/keyed-intervals.js';
import { type Places, placesOf } from '../waits/places.js';
import { knownName, waitThread } from '../waits/wait-names.js';
import type { LocksInput } from './locks-input.js';
import type { LockHolder } from './schema.js';

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
  waits = 0;
  heldNs = 0;
  probeNs = 0;
  /** Of holders whose schedule is known. */
  scheduledNs = 0;
  readonly off = new OffSums();
  private lastWait = NONE;

  constructor(
    readonly key: number,
    readonly symbol: SymbolId,
  ) {}

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
  /** By key. */
  private readonly rows: HoldingSums[] = [];
  /** By hold: how many pieces are all of it, and the key of the row that they count for. */
  private readonly wholeOf: Int32Array;
  private readonly keyOf: Int32Array;
  private readonly scheduled = new Map<Tid, boolean>();

  constructor(private readonly input: LocksInput) {
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

/** By object and thread: where that thread was when it woke waiters, most often. */
function releasePlaces({ waits, objects, facts }: LocksInput): (object: number, tid: Tid) => SymbolId {
  const { objectOf, length } = objects;
  const counts = Array.from({ length }, () => new Map<Tid, Map<SymbolId, number>>());
  for (let wait = 0; wait < waits.length; wait++) {
    const { symbol } = facts.wakerPlaceOf(wait);
    if (objectOf[wait] === NONE || symbol === NONE) continue;
    const own = counts[objectOf[wait]];
    let places = own.get(waits.waker[wait]);
    if (places === undefined) own.set(waits.waker[wait], (places = new Map()));
    places.set(symbol, (places.get(symbol) ?? 0) + 1);
  }
  const mostOf = (places: ReadonlyMap<SymbolId, number>) => [...places].sort((a, b) => b[1] - a[1])[0][0];
  const most = counts.map((own) => new Map(Array.from(own, ([tid, places]) => [tid, mostOf(places)])));
  return (object, tid) => most[object].get(tid) ?? NONE;
}

/** `spotsOf`: by key of a row. */
export function holderRow({ symbols, threads }: LocksInput, sums: HoldingSums, spotsOf: SpotsOf): LockHolder {
  const { tids, symbol, waits, heldNs, probeNs, scheduledNs, off } = sums;
  return {
    threads: [...tids].sort((a, b) => a - b).map((tid) => waitThread(threads.of(tid))),
    function: knownName(symbols, symbol),
    ...{ waits, heldNs, probeNs },
    ranNs: Math.max(0, scheduledNs - off.offNs),
    blockedNs: off.blockedNs + off.wakeUpNs,
    preemptedNs: off.preemptedNs,
    spots: spotsOf(sums.key),
  };
}

type Spot = LockHolder['spots'][number];
/** By key of `HoldingSums`: what holders did; empty if calls are not known. */
export type SpotsOf = (key: number) => Spot[];

export async function askHolders({ calls, symbols }: LocksInput, { asked }: Holdings): Promise<SpotsOf> {
  if (calls === null || asked.threads === 0) return () => [];
  const { paths, threads } = await calls.askable.ask(asked.questions());
  const folded = new FoldedPaths(paths, placesOf(paths, symbols), symbols);
  const times = new Map<number, Map<number, Nanoseconds>>();
  for (const { treesOver } of threads.values())
    treesOver?.key.forEach((key, row) => {
      const own = times.get(key) ?? new Map<number, Nanoseconds>();
      times.set(key, own);
      folded.add(own, treesOver.node[row], treesOver.ns[row]);
    });
  return (key) => folded.spotsOf(times.get(key) ?? new Map());
}

/** Less than this share of the time is not worth a path of its own. */
const MIN_SHARE = 0.1;

/**
 * Call paths that end with the first function of a system library, and with the stop within it, if there is one: what the
 * library did further is no news. A folded path has the number of its last function, or one beyond all nodes if a stop ends it.
 */
class FoldedPaths {
  /** By node: the last function that is shown. */
  private readonly last: Int32Array;

  constructor(
    private readonly paths: Shape,
    private readonly places: Places,
    private readonly symbols: SymbolTable,
  ) {
    const { parent, symbol } = paths;
    this.last = new Int32Array(paths.length);
    for (let node = 1; node < paths.length; node++) {
      const below = parent[node];
      this.last[node] = isStop(symbol[node]) || places.call[below] !== NONE ? this.last[below] : node;
    }
  }

  /** Adds time to a folded path and to all above it. */
  add(times: Map<number, Nanoseconds>, node: NodeId, ns: Nanoseconds): void {
    const addTo = (path: number) => times.set(path, (times.get(path) ?? 0) + ns);
    const { parent, symbol, length } = this.paths;
    if (isStop(symbol[node])) addTo(length + this.last[node] * STOPS + symbol[node] - SpecialSymbol.Syscall);
    for (let at = this.last[node]; at !== NONE; at = parent[at]) addTo(at);
  }

  /** Returns the paths with a notable share of the time, without that of longer ones; most time first. */
  spotsOf(times: ReadonlyMap<number, Nanoseconds>): Spot[] {
    const minNs = MIN_SHARE * (times.get(ROOT) ?? 0);
    const notable = [...times].filter(([path, ns]) => path !== ROOT && ns >= minNs && ns > 0);
    const own = new Map(notable);
    for (const [path, ns] of notable) own.set(this.above(path), (own.get(this.above(path)) ?? 0) - ns);
    return [...own]
      .filter(([, ns]) => ns >= minNs && ns > 0)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .map(([path, ns]) => ({
        ns,
        function: knownName(this.symbols, this.places.symbol[this.functionOf(path)]),
        path: this.symbolsOf(path).map((symbol) => named(this.symbols, symbol)),
      }));
  }

  private above(path: number): number {
    return path < this.paths.length ? this.paths.parent[path] : this.functionOf(path);
  }

  private functionOf(path: number): NodeId {
    const { length } = this.paths;
    return path < length ? path : Math.floor((path - length) / STOPS);
  }

  private symbolsOf(path: number): SymbolId[] {
    const { parent, symbol, length } = this.paths;
    const symbols = path < length ? [] : [SpecialSymbol.Syscall + ((path - length) % STOPS)];
    for (let at = this.functionOf(path); at > ROOT; at = parent[at]) symbols.push(symbol[at]);
    return symbols.reverse();
  }
}

const STOPS = SpecialSymbol.Lost - SpecialSymbol.Syscall + 1;
