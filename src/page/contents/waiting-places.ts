/**
 * Groups waits by thread and call path, and by blocker within each, and lists those with most time.
 */
import { isOffCpu } from '../../analysis/tree/outside.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { BlockerKind, WaitPieceKind } from '../../model/profile/waits-by-path.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { CallsOfWaits, TraceWaits } from '../../questions/waits/ask-waits.js';
import { EndedBy, WaitFacts } from '../../questions/waits/wait-facts.js';
import { type CriticalPath, criticalPathOf, PieceKind } from '../../waits/critical-path.js';
import { HeldTime, wokenNs } from '../../waits/locks/held-time.js';
import { type LockWaits, lockWaitsOf } from '../../waits/locks/lock-waits.js';
import { OffState } from '../../waits/schedule.js';
import type { Waits } from '../../waits/waits.js';

/** More call paths, and more blockers of each, are summed up. */
const MAX_PLACES = 200;
export const MAX_BLOCKERS = 8;

export interface WaitGroup {
  waits: number;
  ns: number;
  wakeUpNs: number;
  /** Its longest wait, the first if several are equally long. */
  longest: number;
}

export interface PlaceGroup extends WaitGroup {
  /** What the thread was in, without the time off the CPU itself. */
  readonly node: number;
  /** Listed, the most time first. */
  readonly blockers: readonly BlockerGroup[];
  /** Of those that are not listed; null: none. */
  readonly others: WaitGroup | null;
}

export interface BlockerGroup extends WaitGroup {
  /** Of those listed, over all places. */
  readonly row: number;
}

export interface PlaceGroups {
  readonly places: readonly PlaceGroup[];
  readonly unlisted: WaitGroup;
  /** By wait: the row of its blocker; NONE: not listed. */
  readonly blockerOf: Int32Array;
}

/** `rows`: the waits in question. */
export function groupWaits(
  waits: Waits,
  { paths, waiterNode }: CallsOfWaits,
  blockers: WaitBlockers,
  rows: Uint32Array,
): PlaceGroups {
  const outerNodes = withoutOffCpu(paths);
  const placeOf = (wait: number) => {
    const node = outerNodes[waiterNode[wait]];
    return (waits.tid[wait] * paths.length + node) * 2 + Number(waits.state[wait] === OffState.Preempted);
  };
  const blockerOf = new Int32Array(waits.length).fill(NONE);
  const all = groupBy(waits, rows, placeOf);
  const [listed, unlisted] = split(all, MAX_PLACES);
  const listedRows = new Map(listed.map(([key]) => [key, [] as number[]]));
  for (const wait of rows) listedRows.get(placeOf(wait))?.push(wait);
  let count = 0;
  const places = listed.map(([place, group]): PlaceGroup => {
    const own = listedRows.get(place) as number[];
    const keyOf = (wait: number) => keyOfBlocker(blockers, wait);
    const [kept, others] = split(groupBy(waits, own, keyOf), MAX_BLOCKERS);
    const row = new Map(kept.map(([key]) => [key, count++]));
    for (const wait of own) blockerOf[wait] = row.get(keyOf(wait)) ?? NONE;
    const listedBlockers = kept.map(([key, group]) => ({ ...group, row: row.get(key) as number }));
    const node = outerNodes[waiterNode[group.longest]];
    return { ...group, node, blockers: listedBlockers, others: others.waits > 0 ? others : null };
  });
  return { places, unlisted, blockerOf };
}

/** Returns for each node the path without time off the CPU on its end. */
function withoutOffCpu({ length, parent, symbol }: Shape): Int32Array {
  const nodes = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) nodes[node] = isOffCpu(symbol[node]) ? nodes[parent[node]] : node;
  return nodes;
}

/** Different for each blocker: few places have many, so texts are cheap. */
function keyOfBlocker(blockers: WaitBlockers, wait: number): string {
  const { reason } = blockers.facts;
  return [blockers.kindOf(wait), blockers.tidOf(wait), blockers.symbolOf(wait), reason[wait]].join();
}

function groupBy<Key>(waits: Waits, rows: Iterable<number>, keyOf: (wait: number) => Key): Map<Key, WaitGroup> {
  const groups = new Map<Key, WaitGroup>();
  for (const wait of rows) {
    const key = keyOf(wait);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { waits: 0, ns: 0, wakeUpNs: 0, longest: wait }));
    group.waits++;
    group.ns += waitNs(waits, wait);
    group.wakeUpNs += waits.inNs[wait] - wokenNs(waits, wait);
    if (waitNs(waits, wait) > waitNs(waits, group.longest)) group.longest = wait;
  }
  return groups;
}

/** Returns the groups with most time, and the sum of the others. */
function split<Key>(groups: Map<Key, WaitGroup>, max: number): [[Key, WaitGroup][], WaitGroup] {
  const sorted = [...groups].sort(([, a], [, b]) => b.ns - a.ns || a.longest - b.longest);
  const sum = { waits: 0, ns: 0, wakeUpNs: 0, longest: NONE };
  for (const [, { waits, ns, wakeUpNs }] of sorted.slice(max)) {
    sum.waits += waits;
    sum.ns += ns;
    sum.wakeUpNs += wakeUpNs;
  }
  return [sorted.slice(0, max), sum];
}

export function waitNs({ outNs, inNs }: Waits, wait: number): number {
  return inNs[wait] - outNs[wait];
}

/** Says for each wait for whom it was: the holder of its lock if that is known, else what ended it. */
export class WaitBlockers {
  readonly facts: WaitFacts;
  private readonly waits: Waits;
  private readonly locks: LockWaits;
  private readonly held: HeldTime;

  constructor(traceWaits: TraceWaits) {
    this.facts = new WaitFacts(traceWaits);
    this.waits = traceWaits.shown;
    this.locks = lockWaitsOf(traceWaits.waits, traceWaits.trace.samples);
    this.held = new HeldTime(traceWaits.waits, this.locks, traceWaits.window);
  }

  kindOf(wait: number): BlockerKind {
    return this.isForHolder(wait) ? 'holder' : KINDS[this.facts.endedBy(wait)];
  }

  /** The holder or waker; NONE: no thread. */
  tidOf(wait: number): Tid {
    return this.isForHolder(wait) ? this.locks.holder[wait] : this.wakerOf(wait);
  }

  /** Where the holder or waker was when it ended the wait; NONE: not known, or another thread ended it. */
  symbolOf(wait: number): SymbolId {
    const tid = this.tidOf(wait);
    return tid === NONE || tid !== this.wakerOf(wait) ? NONE : this.facts.wakerPlaceOf(wait).symbol;
  }

  /** Calls back with the threads that were waited for, when: each holder while it had the lock, or the waker. */
  forEachInterval(wait: number, found: (tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds) => void): void {
    if (!this.isForHolder(wait)) return found(this.wakerOf(wait), this.waits.outNs[wait], wokenNs(this.waits, wait));
    const { pieces } = this.held.of(wait);
    for (let piece = 0; piece < pieces.length; piece++)
      found(pieces.holder[piece], pieces.fromNs[piece], pieces.toNs[piece]);
  }

  private isForHolder(wait: number): boolean {
    return this.locks.holder[wait] !== NONE && this.facts.endedBy(wait) < EndedBy.Preempted;
  }

  private wakerOf(wait: number): Tid {
    return this.facts.endedBy(wait) < EndedBy.Preempted ? this.waits.waker[wait] : NONE;
  }
}

/** By EndedBy; `Unknown` time is no wait. */
const KINDS: readonly BlockerKind[] = Object.assign([], {
  [EndedBy.Thread]: 'waker',
  [EndedBy.MaybeThread]: 'maybe',
  [EndedBy.Interrupt]: 'interrupt',
  [EndedBy.NotSeen]: 'not seen',
  [EndedBy.Open]: 'open',
  [EndedBy.Preempted]: 'preempted',
});

/** Shorter pieces are summed up with their neighbours. */
const MAX_PIECES = 40;

/** Finds what the longest wait of each call path consisted of: the pieces of its critical path. */
export interface TimedPiece {
  readonly kind: WaitPieceKind;
  /** NONE: several short pieces. */
  readonly tid: Tid;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

/** Returns the pieces by time; each begins where the one before ends. */
export function piecesOf({ waits, shown }: Pick<TraceWaits, 'waits' | 'shown'>, wait: number): TimedPiece[] {
  const path = criticalPathOf(waits, waits.tid[wait], shown.outNs[wait], shown.inNs[wait]);
  const isListed = longestOf(path);
  const pieces: TimedPiece[] = [];
  for (let row = 0; row < path.length; row++) {
    const piece = pieceAt(waits, path, row);
    const last = pieces.at(-1);
    if (isListed[row]) pieces.push(piece);
    else if (last?.kind === 'others') pieces[pieces.length - 1] = { ...last, toNs: piece.toNs };
    else pieces.push({ ...piece, kind: 'others', tid: NONE });
  }
  return pieces;
}

function pieceAt({ waker }: Waits, { fromNs, toNs, kind, tid, wait }: CriticalPath, row: number): TimedPiece {
  const isWaker = kind[row] === PieceKind.NotTraced || kind[row] === PieceKind.MaybeThread;
  return {
    kind: WAIT_KINDS[kind[row]],
    tid: isWaker ? waker[wait[row]] : tid[row],
    fromNs: fromNs[row],
    toNs: toNs[row],
  };
}

const WAIT_KINDS: readonly WaitPieceKind[] = Object.assign([], {
  [PieceKind.Running]: 'running',
  [PieceKind.Preempted]: 'preempted',
  [PieceKind.WakeUp]: 'wake-up',
  [PieceKind.Interrupt]: 'interrupt',
  [PieceKind.NotTraced]: 'not traced',
  [PieceKind.MaybeThread]: 'maybe',
  [PieceKind.NotSeen]: 'not seen',
  [PieceKind.Unknown]: 'unknown',
});

/** Returns 1 for each of the longest pieces; of equal ones, the first. */
function longestOf({ length, fromNs, toNs }: CriticalPath): Uint8Array {
  const isLong = new Uint8Array(length);
  const rows = Array.from(isLong.keys());
  rows.sort((a, b) => toNs[b] - fromNs[b] - (toNs[a] - fromNs[a]) || a - b);
  for (const row of rows.slice(0, MAX_PIECES)) isLong[row] = 1;
  return isLong;
}
