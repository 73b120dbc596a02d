/**
 * Sums up a thread's log into the call tree of a selection: a time window, or the inside of certain calls.
 */

import type { CallLog } from '../../model/calls/call-log.js';
import { type CallTree, nodeColumns, ROOT, withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { Doubt, DoubtSums } from '../../model/calls/doubts.js';
import { DurationsBuilder, type FunctionDurations } from '../../model/calls/durations.js';
import { Inference, type InferenceName, isComplete, noInferences, UNWOUND } from '../../model/profile/profile.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import { type Bounds, type Nanoseconds, type NodeId, UNBOUNDED } from '../../model/units.js';
import { type CallFilter, type CallSelection, isDirectRecursion, isInSet } from '../questions.js';
import { foldRecursion, reroot } from '../tree/reshape.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

export interface FilteredThread {
  readonly tree: CallTree;
  /** null: not requested. */
  readonly durations: FunctionDurations | null;
  readonly inferred: Readonly<Record<InferenceName, number>>;
  readonly hiddenNs: Nanoseconds;
  /** When the lost times inside the selected calls began; the window does not matter. */
  readonly lostAt: ReadonlySet<Nanoseconds>;
}

/** `durations`: counts how long its calls took; null: that is not requested. */
export function filterThread(
  log: CallLog,
  tree: CallTree,
  filter: CallFilter,
  durations: DurationsBuilder | null = new DurationsBuilder(),
): FilteredThread {
  const threadFilter = new ThreadFilter(tree, new InsideMarker(log, tree, filter), filter, durations);
  walkCalls(log, threadFilter);
  return threadFilter.build();
}

const INFERENCE_NAMES = Object.keys(Inference) as InferenceName[];

/** Sums on the nodes of the thread's full tree. */
class ThreadFilter implements CallListener<MarkedCall> {
  private readonly inferred = noInferences();
  private readonly lostAt = new Set<Nanoseconds>();
  private hiddenNs = 0;
  private readonly sums: CallTree;
  private readonly doubts = new DoubtSums();
  private readonly window: Bounds;

  constructor(
    tree: CallTree,
    private readonly marker: InsideMarker,
    private readonly filter: CallFilter,
    private readonly durations: DurationsBuilder | null,
  ) {
    this.sums = withoutCounts(tree);
    this.window = filter.window ?? UNBOUNDED;
  }

  newCall(): MarkedCall {
    return new MarkedCall();
  }

  opened(call: MarkedCall): void {
    this.marker.mark(call);
  }

  resumed(call: MarkedCall): void {
    this.marker.mark(call);
  }

  spent(top: MarkedCall | null, fromNs: Nanoseconds, toNs: Nanoseconds, doubt: Doubt): void {
    if (!this.marker.matches(top)) return;
    const node = top === null ? ROOT : top.node;
    if (this.sums.symbol[node] === SpecialSymbol.Lost) this.lostAt.add(fromNs);
    const ns = nsWithin(this.window, fromNs, toNs);
    if (ns === 0) return;
    this.sums.selfNs[node] += ns;
    if (doubt === Doubt.None) return;
    this.sums.inferredNs[node] += ns;
    this.doubts.add(node, doubt, ns);
    if (doubt === Doubt.HiddenJump) this.hiddenNs += ns;
  }

  closed({ node, entryNs, bits, isStop }: MarkedCall, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    if (bits !== this.marker.allBits || !overlaps(this.window, entryNs, exitNs)) return;
    if (this.filter.foldsRecursion && isDirectRecursion(this.sums, node)) return;
    const { calls, inferredCalls, unwoundCalls, longestCutNs } = this.sums;
    const windowEnding = endingWithin(this.window, entryNs, exitNs, ending);
    calls[node]++;
    if (windowEnding === UNWOUND) unwoundCalls[node]++;
    if (isComplete(windowEnding)) return this.countComplete(node, exitNs - entryNs);
    inferredCalls[node]++;
    longestCutNs[node] = Math.max(longestCutNs[node], Math.min(knownNs, nsWithin(this.window, entryNs, exitNs)));
    if (!isStop) this.inferred[INFERENCE_NAMES[windowEnding]]++;
  }

  build(): FilteredThread {
    const { foldsRecursion, root } = this.filter;
    const sums = { ...this.sums, doubts: this.doubts.build() };
    const folded = foldsRecursion ? foldRecursion(sums) : sums;
    const tree = withoutEmptyNodes(root === null ? folded : reroot(folded, root));
    const { inferred, hiddenNs, lostAt } = this;
    return { tree, durations: this.durations?.build() ?? null, inferred, hiddenNs, lostAt };
  }

  private countComplete(node: NodeId, ns: Nanoseconds): void {
    const { symbol, completeNs, minNs, maxNs } = this.sums;
    completeNs[node] += ns;
    if (ns < minNs[node]) minNs[node] = ns;
    if (ns > maxNs[node]) maxNs[node] = ns;
    this.durations?.add(symbol[node], ns);
  }
}

/** Part of the call is in the window. Of two adjacent windows, a call that neither cuts is in exactly one. */
export function overlaps({ startNs, endNs }: Bounds, entryNs: Nanoseconds, exitNs: Nanoseconds): boolean {
  return entryNs < endNs && (entryNs >= startNs || exitNs > startNs);
}

/** Returns `ending`; if the window cuts a complete call, the `Inference` for that end of the window. */
export function endingWithin(
  { startNs, endNs }: Bounds,
  entryNs: Nanoseconds,
  exitNs: Nanoseconds,
  ending: number,
): number {
  if (!isComplete(ending)) return ending;
  if (entryNs < startNs) return Inference.OpenAtStart;
  return exitNs > endNs ? Inference.OpenAtEnd : ending;
}

/** Returns how much of an interval is in the window. */
export function nsWithin({ startNs, endNs }: Bounds, fromNs: Nanoseconds, toNs: Nanoseconds): Nanoseconds {
  return Math.max(0, Math.min(toNs, endNs) - Math.max(fromNs, startNs));
}

/** Copies the paths, with all counts zero. */
function withoutCounts({ length, parent, symbol }: CallTree): CallTree {
  const zeros = () => new Float64Array(length);
  return {
    length,
    parent,
    symbol,
    ...nodeColumns(zeros),
    minNs: zeros().fill(Number.POSITIVE_INFINITY),
    maxNs: zeros().fill(Number.NEGATIVE_INFINITY),
  };
}

type Paths = Pick<CallTree, 'parent' | 'symbol'>;

interface Condition {
  readonly calls: CallSelection;
  /** By row of the log: 1 if the call that it opens has the wanted duration; null: any duration. */
  readonly rows: Uint8Array | null;
}

// Marks each call with the conditions that it meets. A condition is a bit; a call also has the bits of its callers.

/** A call that knows which conditions it is inside of. */
export class MarkedCall extends OpenCall {
  /** The conditions that it or one of its callers meets, as bits. */
  bits = 0;
}

export class InsideMarker {
  /** The bits of all conditions. */
  readonly allBits: number;
  private readonly conditions: readonly Condition[];

  constructor(
    log: CallLog,
    private readonly tree: Paths,
    { inside, root, foldsRecursion }: Omit<CallFilter, 'window'>,
  ) {
    const selections = [...inside, ...(root ? [{ functions: root, durations: null }] : [])];
    this.conditions = selections.map((calls) => {
      return { calls, rows: calls.durations && rowsByDuration(log, tree, calls, foldsRecursion) };
    });
    this.allBits = 2 ** selections.length - 1;
  }

  /** Must run when a call opens, or resumes on other calls. */
  mark(call: MarkedCall): void {
    const { conditions } = this;
    call.bits = call.below === null ? 0 : call.below.bits;
    for (let bit = 0; bit < conditions.length; bit++) if (this.meets(conditions[bit], call)) call.bits |= 1 << bit;
  }

  /** The call meets all conditions, so its time counts. */
  matches(call: MarkedCall | null): boolean {
    return this.allBits === 0 || (call !== null && call.bits === this.allBits);
  }

  private meets({ calls, rows }: Condition, call: OpenCall): boolean {
    return isInSet(calls.functions, this.tree.symbol[call.node]) && (rows === null || rows[call.row] === 1);
  }
}

/** By row of the log: 1 where a call begins that has the wanted duration. */
function rowsByDuration(
  log: CallLog,
  tree: Paths,
  { functions, durations }: CallSelection,
  foldsRecursion: boolean,
): Uint8Array {
  const rows = new Uint8Array(log.length);
  const { minNs, maxNs } = durations ?? { minNs: 0, maxNs: Number.POSITIVE_INFINITY };
  const listener: CallListener = {
    newCall: () => new OpenCall(),
    opened() {},
    closed(call, exitNs, ending) {
      const ns = exitNs - call.entryNs;
      if (foldsRecursion && isDirectRecursion(tree, call.node)) return; // part of the call below it
      if (isComplete(ending) && ns >= minNs && ns <= maxNs && isInSet(functions, tree.symbol[call.node]))
        rows[call.row] = 1;
    },
    spent() {},
  };
  walkCalls(log, listener);
  return rows;
}
