/**
 * Adds up the time that threads had locks while others waited: by lock and by the holders' name, and for single waits.
 */
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { HolderSource } from '../../waits/locks/holders.js';
import { threadOf } from '../../waits/schedule/schedule.js';
import { addWaitsWithin } from '../../waits/summary/interval-sums.js';
import { WaitSummer } from '../../waits/summary/wait-sums.js';
import { type LocksInput, releasePlaces } from './locks-input.js';

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
  readonly off = new WaitSummer();
  private lastWait = NONE;

  constructor(key: number, symbol: SymbolId) {
    this.key = key;
    this.symbol = symbol;
  }

  add({ waits, held }: LocksInput, piece: number): void {
    const { wait, holder, fromNs, toNs, source } = held.pieces;
    const ns = toNs[piece] - fromNs[piece];
    this.tids.add(holder[piece]);
    if (wait[piece] !== this.lastWait) this.waits++;
    this.lastWait = wait[piece];
    this.heldNs += ns;
    if (source[piece] === HolderSource.Probe) this.probeNs += ns;
    if (threadOf(waits, holder[piece]) === NONE) return;
    this.scheduledNs += ns;
    addWaitsWithin(waits, holder[piece], fromNs[piece], toNs[piece], this.off);
  }
}

/** What holders are asked about: intervals by thread, with the key of the row that they count for. */
export interface HolderInterval {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly key: number;
}

export interface Holdings {
  /** By row of the objects. */
  readonly ofObject: readonly (readonly HoldingSums[])[];
  /** By slow wait. */
  readonly ofWait: readonly (readonly HoldingSums[])[];
  readonly asked: ReadonlyMap<Tid, readonly HolderInterval[]>;
}

/** `slowest`: waits whose holders are told one by one. */
export function holdingsOf(input: LocksInput, slowest: readonly number[]): Holdings {
  const { held, objects, threads } = input;
  const collector = new HoldingCollector(input);
  const releasedIn = releasePlaces(input);
  const nameOf = (tid: Tid) => `${threads.of(tid).isRecorded} ${threads.of(tid).comm ?? tid}`;
  const { pieces, starts } = held;
  const ofObject = Array.from({ length: objects.length }, () => new Map<string, HoldingSums>());
  for (let piece = 0; piece < pieces.length; piece++) {
    const object = objects.objectOf[pieces.wait[piece]];
    if (object === NONE) continue;
    const symbol = releasedIn(object, pieces.holder[piece]);
    collector.add(ofObject[object], `${symbol} ${nameOf(pieces.holder[piece])}`, symbol, piece);
  }
  const ofWait = slowest.map((wait) => {
    const own = new Map<string, HoldingSums>();
    for (let piece = starts[wait]; piece < starts[wait + 1]; piece++) {
      const holder = pieces.holder[piece];
      collector.add(own, String(holder), releasedIn(objects.objectOf[wait], holder), piece);
    }
    return [...own.values()];
  });
  return { ofObject: ofObject.map((own) => [...own.values()]), ofWait, asked: collector.asked };
}

class HoldingCollector {
  readonly asked = new Map<Tid, HolderInterval[]>();
  private readonly input: LocksInput;
  private keys = 0;

  constructor(input: LocksInput) {
    this.input = input;
  }

  add(rows: Map<string, HoldingSums>, name: string, symbol: SymbolId, piece: number): void {
    let row = rows.get(name);
    if (row === undefined) rows.set(name, (row = new HoldingSums(this.keys++, symbol)));
    row.add(this.input, piece);
    const { holder, fromNs, toNs } = this.input.held.pieces;
    const interval = { fromNs: fromNs[piece], toNs: toNs[piece], key: row.key };
    const own = this.asked.get(holder[piece]);
    if (own) own.push(interval);
    else this.asked.set(holder[piece], [interval]);
  }
}
