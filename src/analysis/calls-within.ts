/**
 * What calls of a function did inside: their trees put one on the other, and those of the longest ones by themselves.
 */
import type { CallLog } from '../model/call-log.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import { type AskedCallsOfThread, RowMark } from './asked-calls.js';
import { cutBy } from './filter-thread.js';
import { type Bounds, type CallFilter, isDirectRecursion } from './questions.js';
import { type CallListener, type OpenCall, walkCalls } from './walk-calls.js';

export interface CallsWithin {
  /**
   * Of complete calls: under the root a node for each caller (NONE: nobody), which stands for the calls it made; under it
   * what they did. A call of the function inside another one is a leaf there, for it has its own place under the root.
   */
  readonly complete: CallTree;
  /** The same of calls that were not seen whole. */
  readonly inferred: CallTree;
  /** Where they were made: the paths down to the function, with calls, and durations as self time. */
  readonly paths: CallTree;
  /** By row of the log, of the longest calls: what each did; its root stands for the call. */
  readonly alone: ReadonlyMap<number, CallTree>;
}

/** `tree`: the thread's. */
export function lookInside(log: CallLog, tree: CallTree, filter: CallFilter, calls: AskedCallsOfThread): CallsWithin {
  const collector = new Collector(tree, filter, calls);
  walkCalls(log, collector);
  return collector.build();
}

const ALWAYS: Bounds = { startNs: Number.NEGATIVE_INFINITY, endNs: Number.POSITIVE_INFINITY };

class Collector implements CallListener {
  private readonly complete = new CallTreeBuilder();
  private readonly inferred = new CallTreeBuilder();
  private readonly paths = new CallTreeBuilder();
  private readonly alone: ReadonlyMap<number, CallTreeBuilder>;
  /** Of nodes of the thread's tree, in `paths`; NONE: not needed yet. */
  private readonly pathOf: Int32Array;
  private readonly tree: CallTree;
  private readonly rows: Uint8Array;
  private readonly window: Bounds;
  private readonly foldsRecursion: boolean;

  constructor(tree: CallTree, { window, foldsRecursion }: CallFilter, { rows, slowest }: AskedCallsOfThread) {
    this.tree = tree;
    this.rows = rows;
    this.pathOf = new Int32Array(tree.length).fill(NONE, 1);
    this.alone = new Map(slowest.map(({ row }) => [row, new CallTreeBuilder()]));
    this.window = window ?? ALWAYS;
    this.foldsRecursion = foldsRecursion;
  }

  opened(call: OpenCall): void {
    const mark = this.rows[call.row];
    if (mark === RowMark.None) return this.placeOnBelow(call);
    call.tree = mark === RowMark.Complete ? this.complete : this.inferred;
    call.place = call.tree.child(ROOT, this.callerOf(call));
    call.treeAlone = this.alone.get(call.row) ?? null;
    call.placeAlone = ROOT;
  }

  resumed(call: OpenCall): void {
    this.opened(call);
  }

  spent(top: OpenCall | null, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    if (top === null || top.tree === null) return;
    const ns = this.inWindow(fromNs, toNs);
    top.tree.charge(top.place, ns, false);
    top.treeAlone?.charge(top.placeAlone, ns, false);
  }

  closed(call: OpenCall, exitNs: Nanoseconds, why: number): void {
    if (call.tree === null) return;
    const isMarked = this.rows[call.row] !== RowMark.None;
    if (!isMarked && this.isFolded(call)) return;
    const isWhole = cutBy(this.window, call.entryNs, exitNs, why) === NONE;
    const durationNs = isWhole ? exitNs - call.entryNs : this.inWindow(call.entryNs, exitNs);
    count(call.tree, call.place, durationNs, isWhole);
    if (call.treeAlone) count(call.treeAlone, call.placeAlone, durationNs, isWhole);
    if (isMarked) this.closeMarked(call, durationNs, isWhole);
  }

  build(): CallsWithin {
    const alone = new Map([...this.alone].map(([row, builder]) => [row, builder.build()]));
    return { complete: this.complete.build(), inferred: this.inferred.build(), paths: this.paths.build(), alone };
  }

  private placeOnBelow(call: OpenCall): void {
    const { below } = call;
    call.tree = below === null ? null : below.tree;
    call.treeAlone = below === null ? null : below.treeAlone;
    if (below === null || call.tree === null) return;
    const symbol = this.tree.symbol[call.node];
    const isFolded = this.isFolded(call);
    call.place = isFolded ? below.place : call.tree.child(below.place, symbol);
    if (call.treeAlone) call.placeAlone = isFolded ? below.placeAlone : call.treeAlone.child(below.placeAlone, symbol);
  }

  /** It stands in the call that it was made in, too: as one frame. */
  private closeMarked(call: OpenCall, durationNs: Nanoseconds, isWhole: boolean): void {
    const { below, node } = call;
    const symbol = this.tree.symbol[node];
    const path = this.pathTo(node);
    this.paths.charge(path, durationNs, false);
    count(this.paths, path, durationNs, isWhole);
    if (below === null) return;
    addLeaf(below.tree, below.place, symbol, durationNs, isWhole);
    addLeaf(below.treeAlone, below.placeAlone, symbol, durationNs, isWhole);
  }

  private pathTo(node: NodeId): NodeId {
    const { pathOf, tree } = this;
    const missing: NodeId[] = [];
    for (let at = node; pathOf[at] === NONE; at = tree.parent[at]) missing.push(at);
    for (const at of missing.reverse()) pathOf[at] = this.paths.child(pathOf[tree.parent[at]], tree.symbol[at]);
    return pathOf[node];
  }

  private callerOf({ node }: OpenCall): SymbolId {
    return this.tree.symbol[this.tree.parent[node]];
  }

  private isFolded({ node }: OpenCall): boolean {
    return this.foldsRecursion && isDirectRecursion(this.tree, node);
  }

  private inWindow(fromNs: Nanoseconds, toNs: Nanoseconds): Nanoseconds {
    return Math.max(0, Math.min(toNs, this.window.endNs) - Math.max(fromNs, this.window.startNs));
  }
}

function count(tree: CallTreeBuilder, node: NodeId, durationNs: Nanoseconds, isWhole: boolean): void {
  if (isWhole) tree.countComplete(node, durationNs);
  else tree.countInferred(node);
}

function addLeaf(
  tree: CallTreeBuilder | null,
  parent: NodeId,
  symbol: SymbolId,
  durationNs: Nanoseconds,
  isWhole: boolean,
): void {
  if (tree === null) return;
  const leaf = tree.child(parent, symbol);
  tree.charge(leaf, durationNs, false);
  count(tree, leaf, durationNs, isWhole);
}
