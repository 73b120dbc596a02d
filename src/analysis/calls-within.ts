/**
 * What calls of a function did inside: their trees put one on the other, and those of the longest ones by themselves.
 */
import type { CallLog } from '../model/call-log.js';
import { type CallTree, CallTreeBuilder, ROOT, withoutEmptyNodes } from '../model/call-tree.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import { type AskedCallsOfThread, RowMark } from './asked-calls.js';
import { cutBy, touches } from './filter-thread.js';
import { type Bounds, type CallFilter, isDirectRecursion } from './questions.js';
import { type CallListener, type OpenCall, walkCalls } from './walk-calls.js';

export interface CallsWithin {
  /**
   * Of complete calls: under the root a node for each caller (NONE: nobody), which stands for the calls it made; under it
   * what they did. A call of the function inside another one is a leaf there, with its stops as the only frames on it, for
   * it has its own place under the root.
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
  /** By symbol, time of the thread in stops up to now; and as it was when a call began inside of another one, by row. */
  private readonly stoppedNs = new Float64Array(SpecialSymbol.Lost + 1);
  private readonly stoppedBefore = new Map<number, Float64Array>();

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
    if (call.below?.tree) this.stoppedBefore.set(call.row, this.stoppedNs.slice());
  }

  /** What happens meanwhile is not its own: it keeps what it has had. */
  left(call: OpenCall): void {
    const before = this.stoppedBefore.get(call.row);
    if (before) this.stoppedBefore.set(call.row, this.stoppedSince(before));
  }

  resumed(call: OpenCall): void {
    const had = this.stoppedBefore.get(call.row);
    this.opened(call);
    if (had) this.stoppedBefore.set(call.row, this.stoppedSince(had));
  }

  spent(top: OpenCall | null, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    if (top === null || top.tree === null) return;
    const ns = this.inWindow(fromNs, toNs);
    if (top.isStop) this.stoppedNs[this.tree.symbol[top.node]] += ns;
    top.tree.charge(top.place, ns, false);
    top.treeAlone?.charge(top.placeAlone, ns, false);
  }

  closed(call: OpenCall, exitNs: Nanoseconds, why: number): void {
    if (call.tree === null || !touches(this.window, call.entryNs, exitNs)) return;
    const isMarked = this.rows[call.row] !== RowMark.None;
    if (!isMarked && this.isFolded(call.node)) return;
    const isWhole = cutBy(this.window, call.entryNs, exitNs, why) === NONE;
    const durationNs = isWhole ? exitNs - call.entryNs : this.inWindow(call.entryNs, exitNs);
    count(call.tree, call.place, durationNs, isWhole);
    if (call.treeAlone) count(call.treeAlone, call.placeAlone, durationNs, isWhole);
    if (isMarked) this.closeMarked(call, durationNs, isWhole);
  }

  build(): CallsWithin {
    const built = (tree: CallTreeBuilder) => withoutEmptyNodes(tree.build());
    const alone = new Map([...this.alone].map(([row, tree]) => [row, built(tree)]));
    return { complete: built(this.complete), inferred: built(this.inferred), paths: built(this.paths), alone };
  }

  private placeOnBelow(call: OpenCall): void {
    const { below } = call;
    call.tree = below === null ? null : below.tree;
    call.treeAlone = below === null ? null : below.treeAlone;
    if (below === null || call.tree === null) return;
    const symbol = this.tree.symbol[call.node];
    const isFolded = this.isFolded(call.node);
    call.place = isFolded ? below.place : call.tree.child(below.place, symbol);
    if (call.treeAlone) call.placeAlone = isFolded ? below.placeAlone : call.treeAlone.child(below.placeAlone, symbol);
  }

  /** It stands in the call that it was made in, too: as one frame. */
  private closeMarked(call: OpenCall, durationNs: Nanoseconds, isWhole: boolean): void {
    const { below, node } = call;
    const path = this.pathTo(node);
    this.paths.charge(path, durationNs, false);
    count(this.paths, path, durationNs, isWhole);
    if (below?.tree) this.addLeaves(call, below, durationNs, isWhole);
  }

  private addLeaves(call: OpenCall, below: OpenCall, durationNs: Nanoseconds, isWhole: boolean): void {
    const symbol = this.tree.symbol[call.node];
    const stoppedNs = this.stoppedSince(this.stoppedBefore.get(call.row) ?? this.stoppedNs);
    this.stoppedBefore.delete(call.row);
    if (call.isStop) stoppedNs[symbol] = 0; // that is the leaf itself
    addLeaf(below.tree, below.place, symbol, durationNs, isWhole, stoppedNs);
    addLeaf(below.treeAlone, below.placeAlone, symbol, durationNs, isWhole, stoppedNs);
  }

  private stoppedSince(before: Float64Array): Float64Array {
    return this.stoppedNs.map((ns, symbol) => ns - before[symbol]);
  }

  private pathTo(node: NodeId): NodeId {
    const { pathOf, tree } = this;
    const missing: NodeId[] = [];
    for (let at = node; pathOf[at] === NONE; at = tree.parent[at]) missing.push(at);
    for (const at of missing.reverse()) {
      const below = pathOf[tree.parent[at]];
      pathOf[at] = this.isFolded(at) ? below : this.paths.child(below, tree.symbol[at]);
    }
    return pathOf[node];
  }

  private callerOf({ node }: OpenCall): SymbolId {
    return this.tree.symbol[this.tree.parent[node]];
  }

  private isFolded(node: NodeId): boolean {
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
  stoppedNs: Float64Array,
): void {
  if (tree === null) return;
  const leaf = tree.child(parent, symbol);
  let ownNs = durationNs;
  for (let stop = 0; stop < stoppedNs.length; stop++) {
    if (stoppedNs[stop] === 0) continue;
    tree.charge(tree.child(leaf, stop), stoppedNs[stop], false);
    ownNs -= stoppedNs[stop];
  }
  tree.charge(leaf, ownNs, false);
  count(tree, leaf, durationNs, isWhole);
}
