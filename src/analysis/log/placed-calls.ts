/**
 * Sums up the calls of a thread by where in the code they were made, and the time between them.
 *
 * Of a recursion, the call that is lowest on the stack counts: what it calls, and its own time, add up to its total.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import type { Shape } from '../../model/calls/overlay.js';
import { isComplete } from '../../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { nsWithin, overlaps } from './filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

/** The calls of one function to another from one place. */
export interface PlacedCalls {
  readonly caller: SymbolId;
  /** NONE: its own time, from its beginning or the call before, up to the call at that place. */
  readonly callee: SymbolId;
  /** See `madeAt`; NONE: not known, or up to its end. */
  readonly place: number;
  calls: number;
  inferred: number;
  ns: Nanoseconds;
}

/** Adds up placed calls of threads. */
export class PlacedCallsSum {
  private readonly rows = new Map<string, PlacedCalls>();

  add(all: readonly PlacedCalls[]): void {
    for (const { caller, callee, place, calls, inferred, ns } of all) {
      const row = this.row(caller, callee, place);
      row.calls += calls;
      row.inferred += inferred;
      row.ns += ns;
    }
  }

  row(caller: SymbolId, callee: SymbolId, place: number): PlacedCalls {
    const key = `${caller} ${callee} ${place}`;
    let row = this.rows.get(key);
    if (row === undefined) this.rows.set(key, (row = { caller, callee, place, calls: 0, inferred: 0, ns: 0 }));
    return row;
  }

  all(): PlacedCalls[] {
    return [...this.rows.values()];
  }
}

/** `log`: with places. */
export function placedCalls(log: CallLog, paths: Shape, window: Bounds): PlacedCalls[] {
  const placing = new Placing(log.place as Int32Array, paths, window);
  walkCalls(log, placing);
  return placing.sum.all();
}

class PlacedCall extends OpenCall {
  /** No call of its function is below it. */
  isLowest = false;
  /** Its calls from there; null: its caller is not known, or counts lower on the stack. */
  from: PlacedCalls | null = null;
  /** How much time had passed when it began, or resumed. */
  sinceNs: Nanoseconds = 0;
  /** Its own time since its last call. */
  ownNs: Nanoseconds = 0;
}

/** What it does is its function's: of a stop, nothing is. */
function counts({ isLowest, isStop }: PlacedCall): boolean {
  return isLowest && !isStop;
}

class Placing implements CallListener<PlacedCall> {
  readonly sum = new PlacedCallsSum();
  /** The last row of each node, and of the time before calls: usually it is the same again. */
  private readonly lastCalls: (PlacedCalls | undefined)[];
  private readonly lastBefore: (PlacedCalls | undefined)[];
  /** By symbol: its calls on the stack. */
  private readonly open: Int32Array;
  /** Time of the thread so far. */
  private passedNs: Nanoseconds = 0;

  constructor(
    private readonly place: Int32Array,
    private readonly paths: Shape,
    private readonly window: Bounds,
  ) {
    this.lastCalls = new Array(paths.length);
    this.lastBefore = new Array(paths.length);
    this.open = new Int32Array(1 + paths.symbol.reduce((max, symbol) => Math.max(max, symbol), 0));
  }

  newCall(): PlacedCall {
    return new PlacedCall();
  }

  opened(call: PlacedCall): void {
    const { below } = call;
    call.ownNs = 0;
    if (below !== null && counts(below)) this.chargeOwn(below, this.place[call.row]);
    this.resumed(call);
  }

  resumed(call: PlacedCall): void {
    const { below } = call;
    call.from = below !== null && counts(below) ? this.rowOf(this.lastCalls, call.node, this.place[call.row]) : null;
    call.sinceNs = this.passedNs;
    const symbol = this.paths.symbol[call.node];
    call.isLowest = this.open[symbol]++ === 0;
  }

  suspended(call: PlacedCall): void {
    const symbol = this.paths.symbol[call.node];
    this.open[symbol]--;
    if (call.from) call.from.ns += this.passedNs - call.sinceNs;
  }

  closed(call: PlacedCall, exitNs: Nanoseconds, ending: number): void {
    this.suspended(call);
    if (counts(call)) this.chargeOwn(call, NONE);
    if (call.from === null || !overlaps(this.window, call.entryNs, exitNs)) return;
    call.from.calls++;
    const isCut = call.entryNs < this.window.startNs || exitNs > this.window.endNs;
    if (isCut || !isComplete(ending)) call.from.inferred++;
  }

  spent(top: PlacedCall | null, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    const ns = nsWithin(this.window, fromNs, toNs);
    this.passedNs += ns;
    if (top !== null) top.ownNs += ns;
  }

  /** Charges the time since the last call to what follows it. */
  private chargeOwn(call: PlacedCall, place: number): void {
    if (call.ownNs > 0) this.rowOf(this.lastBefore, call.node, place).ns += call.ownNs;
    call.ownNs = 0;
  }

  private rowOf(last: (PlacedCalls | undefined)[], node: NodeId, place: number): PlacedCalls {
    const same = last[node];
    if (same?.place === place) return same;
    const { symbol, parent } = this.paths;
    const isCall = last === this.lastCalls;
    const [caller, callee] = isCall ? [symbol[parent[node]], symbol[node]] : [symbol[node], NONE];
    const row = this.sum.row(caller, callee, place);
    last[node] = row;
    return row;
  }
}
