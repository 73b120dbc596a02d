/**
 * Turns groups of waits, and what their blockers did meanwhile, into the plain data of the report page.
 */

import { ROOT } from '../../model/calls/call-tree.js';
import { overlayTrees, type Shape } from '../../model/calls/overlay.js';
import { appendTo } from '../../model/groups.js';
import type {
  Blocker,
  BlockerKind,
  WaitingPlace,
  WaitPiece,
  WaitsByPath,
  WaitThread,
} from '../../model/profile/waits-by-path.js';
import { symbolRanks } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { AskableTrace } from '../../pipeline/ask-threads.js';
import type { CallsOfWaits, TraceWaits } from '../../questions/waits/ask-waits.js';
import { KeyedIntervals } from '../../questions/waits/keyed-intervals.js';
import { placesOf } from '../../questions/waits/places.js';
import { Reason, reasonName } from '../../waits/reason.js';
import { OffState } from '../../waits/schedule.js';
import {
  type BlockerGroup,
  type PlaceGroup,
  type PlaceGroups,
  type TimedPiece,
  type WaitBlockers,
  type WaitGroup,
  waitNs,
} from './waiting-places.js';

/** More call paths of a blocker are summed up. */
const MAX_PATHS = 16;

export interface GroupedWaits {
  readonly groups: PlaceGroups;
  /** By place: the pieces of its longest wait, with the key of their time. */
  readonly pieces: readonly (readonly KeyedPiece[])[];
}

export interface KeyedPiece extends TimedPiece {
  readonly key: number;
}

export class PlaceWriter {
  private readonly times: ReadonlyMap<number, readonly NodeTime[]>;
  /** By node of the waiters' paths, and of what was done meanwhile: the node of `used`. */
  private readonly waiterNodes: Int32Array;
  private readonly timeNodes: Int32Array;
  /** By node of `used`. */
  private readonly placeSymbol: Int32Array;
  private readonly used: UsedPaths;
  private readonly tids = new Set<Tid>();

  constructor(
    private readonly traceWaits: TraceWaits,
    private readonly calls: CallsOfWaits,
    private readonly blockers: WaitBlockers,
    { paths, times }: TimesByKey,
  ) {
    const { symbols } = calls;
    const { shape, nodes } = overlayTrees([calls.paths, paths], symbolRanks(symbols));
    this.times = times;
    [this.waiterNodes, this.timeNodes] = nodes as [Int32Array, Int32Array];
    this.placeSymbol = placesOf(shape, symbols).symbol;
    this.used = new UsedPaths(shape);
  }

  write({ groups, pieces }: GroupedWaits): Omit<WaitsByPath, 'locks' | 'locksLeftOut'> {
    const places = groups.places.map((place, row) => this.placeOf(place, pieces[row]));
    const { paths, newId } = this.used.build();
    const { waits, ns } = groups.unlisted;
    return {
      paths,
      threads: this.threads(),
      places: places.map((place) => renumbered(place, newId)),
      unlisted: { waits, ns },
    };
  }

  private placeOf(
    { node: inCalls, longest, blockers, others }: PlaceGroup,
    pieces: readonly KeyedPiece[],
  ): WaitingPlace {
    const { shown: waits } = this.traceWaits;
    const node = this.waiterNodes[inCalls];
    this.used.add(node);
    this.tids.add(waits.tid[longest]);
    const rest = others === null ? [] : [blocker('others', others)];
    return {
      tid: waits.tid[longest],
      node,
      isPreempted: waits.state[longest] === OffState.Preempted,
      blockers: [...blockers.map((group) => this.blockerOf(group)), ...rest],
      longest: {
        startNs: waits.outNs[longest] - this.calls.shiftNs,
        ns: waitNs(waits, longest),
        pieces: pieces.map((piece) => this.pieceOf(piece)),
      },
    };
  }

  private blockerOf({ row, ...group }: BlockerGroup): Blocker {
    const { blockers } = this;
    const times = this.times.get(row) ?? [];
    const meanwhile = times.slice(0, MAX_PATHS).map(({ node, ns }) => [this.timeNodes[node], ns] as const);
    for (const [node] of meanwhile) this.used.add(node);
    const tid = blockers.tidOf(group.longest);
    const reason = blockers.facts.reason[group.longest];
    const isInferred = blockers.facts.isInferred(group.longest);
    this.tids.add(tid);
    return {
      ...blocker(blockers.kindOf(group.longest), group),
      tid,
      symbol: blockers.symbolOf(group.longest),
      reason: reason === Reason.Unknown ? '' : `${reasonName(reason)}${isInferred ? ' (inferred)' : ''}`,
      meanwhile,
      otherNs: times.slice(MAX_PATHS).reduce((sum, { ns }) => sum + ns, 0),
    };
  }

  private pieceOf({ kind, tid, fromNs, toNs, key }: KeyedPiece): WaitPiece {
    this.tids.add(tid);
    return { kind, tid, symbol: this.largestPlace(this.times.get(key) ?? []), ns: toNs - fromNs };
  }

  private largestPlace(times: readonly NodeTime[]): SymbolId {
    const sums = new Map<SymbolId, number>();
    for (const { node, ns } of times) {
      const symbol = this.placeSymbol[this.timeNodes[node]];
      sums.set(symbol, (sums.get(symbol) ?? 0) + ns);
    }
    let largest: SymbolId = NONE;
    for (const [symbol, ns] of sums) if (ns > (sums.get(largest) ?? 0)) largest = symbol;
    return largest;
  }

  private threads(): WaitThread[] {
    const traced = new Set(this.calls.profile.threads.map(({ tid }) => tid));
    const tids = [...this.tids].filter((tid) => tid !== NONE).sort((a, b) => a - b);
    return tids.map((tid) => ({ tid, comm: this.traceWaits.threads.of(tid).comm, isTraced: traced.has(tid) }));
  }
}

/** Returns a blocker of which only the sums are known. */
function blocker(kind: BlockerKind, { waits, ns, wakeUpNs }: WaitGroup): Blocker {
  return { kind, tid: NONE, symbol: NONE, reason: '', waits, ns, wakeUpNs, meanwhile: [], otherNs: 0 };
}

function renumbered(place: WaitingPlace, newId: Int32Array): WaitingPlace {
  return {
    ...place,
    node: newId[place.node],
    blockers: place.blockers.map((own) => {
      return { ...own, meanwhile: own.meanwhile.map(([node, ns]) => [newId[node], ns] as const) };
    }),
  };
}

/** Collects the call paths that are used of a shape, and numbers them anew. */
class UsedPaths {
  private readonly isUsed: Uint8Array;

  constructor(private readonly shape: Shape) {
    this.isUsed = new Uint8Array(shape.length);
    this.isUsed[ROOT] = 1;
  }

  add(node: number): void {
    for (let at = node; this.isUsed[at] === 0; at = this.shape.parent[at]) this.isUsed[at] = 1;
  }

  /** Returns the paths, and by node of the shape its node among them. They are in the same order. */
  build(): { readonly paths: WaitsByPath['paths']; readonly newId: Int32Array } {
    const { length, parent, symbol } = this.shape;
    const newId = new Int32Array(length).fill(NONE);
    const paths = { parent: [] as number[], symbol: [] as number[] };
    for (let node = ROOT; node < length; node++) {
      if (this.isUsed[node] === 0) continue;
      newId[node] = paths.parent.push(node === ROOT ? NONE : newId[parent[node]]) - 1;
      paths.symbol.push(symbol[node]);
    }
    return { paths, newId };
  }
}

/** Collects intervals of threads with a key each, and asks what these threads did in them. */
interface TimesByKey {
  readonly paths: Shape;
  /** By key: nodes of the paths with their time, the most time first. */
  readonly times: ReadonlyMap<number, readonly NodeTime[]>;
}

interface NodeTime {
  readonly node: number;
  readonly ns: Nanoseconds;
}

export class AskedIntervals {
  private readonly tids: ReadonlySet<Tid>;
  private readonly intervals = new KeyedIntervals();

  constructor(private readonly askable: AskableTrace) {
    this.tids = new Set(askable.trace.store.tids);
  }

  /** Threads that were not traced are not asked. */
  add(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds, key: number): void {
    if (toNs > fromNs && this.tids.has(tid)) this.intervals.add(tid, fromNs, toNs, key);
  }

  async ask(): Promise<TimesByKey> {
    const { paths, threads } = await this.askable.ask(this.intervals.questions());
    const times = new Map<number, NodeTime[]>();
    for (const { treesOver } of threads.values())
      treesOver?.key.forEach((key, row) => {
        const time = { node: treesOver.node[row], ns: treesOver.ns[row] };
        appendTo(times, key, time);
      });
    for (const own of times.values()) own.sort((a, b) => b.ns - a.ns || a.node - b.node);
    return { paths, times };
  }
}
