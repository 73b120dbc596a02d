/**
 * Lists the calls of some functions in a thread, by their spans of time.
 */

import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { float64Column, int32Column, rowNumbers, rowsOf, uint8Column, viewsOf } from '../../model/columns.js';
import { Inference, isComplete } from '../../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import { type CallSelection, isInSet } from '../questions.js';
import { overlaps } from './filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

export interface SpansQuestion {
  readonly calls: CallSelection;
  /** Only calls that overlap it. */
  readonly window: Bounds;
}

/** A row for each call, in the order in which they began. */
export interface Spans {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly node: Int32Array;
  /** NONE: it returned; UNWOUND; else an `Inference`: its start or its end was not seen. */
  readonly ending: Int32Array;
  /** The row of the innermost of these calls that this one is inside of; NONE: none. */
  readonly outer: Int32Array;
}

export function spansOf(log: CallLog, tree: Pick<CallTree, 'symbol'>, question: SpansQuestion): Spans {
  const finder = new SpanFinder(tree, question);
  walkCalls(log, finder);
  return finder.build();
}

class SpanCall extends OpenCall {
  /** The row of its span; if it has none, of the one that it is inside of. */
  span = NONE;
  isSpan = false;
}

class SpanFinder implements CallListener<SpanCall> {
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly node = int32Column();
  private readonly ending = int32Column();
  private readonly outer = int32Column();
  private readonly isSelected = uint8Column();

  constructor(
    private readonly tree: Pick<CallTree, 'symbol'>,
    private readonly question: SpansQuestion,
  ) {}

  newCall(): SpanCall {
    return new SpanCall();
  }

  opened(call: SpanCall): void {
    const outer = call.below === null ? NONE : call.below.span;
    call.isSpan = isInSet(this.question.calls.functions, this.tree.symbol[call.node]);
    call.span = call.isSpan ? this.addSpan(call.entryNs, outer) : outer;
  }

  resumed(call: SpanCall): void {
    if (!call.isSpan) call.span = call.below === null ? NONE : call.below.span;
  }

  spent(): void {}

  closed(call: SpanCall, exitNs: Nanoseconds, ending: number): void {
    if (!call.isSpan) return;
    this.endNs.values[call.span] = exitNs;
    this.node.values[call.span] = call.node;
    this.ending.values[call.span] = ending;
    this.isSelected.values[call.span] = this.selects(call, exitNs, ending) ? 1 : 0;
  }

  build(): Spans {
    const { startNs, endNs, node, ending, outer } = this;
    const isSelected = this.isSelected.view();
    const newRow = new Int32Array(isSelected.length);
    const rowOf = (span: number) => (span === NONE ? NONE : newRow[span]);
    let length = 0;
    // A span that is left out stands for the one around it, which began earlier.
    for (let span = 0; span < newRow.length; span++)
      newRow[span] = isSelected[span] ? length++ : rowOf(outer.values[span]);
    const rows = rowNumbers(newRow.length).filter((span) => isSelected[span] === 1);
    const selected = rowsOf(viewsOf({ startNs, endNs, node, ending, outer }), rows);
    return { ...selected, outer: selected.outer.map(rowOf) };
  }

  private addSpan(startNs: Nanoseconds, outer: number): number {
    this.startNs.push(startNs);
    this.endNs.push(Number.NaN);
    this.node.push(NONE);
    this.ending.push(NONE);
    this.outer.push(outer);
    this.isSelected.push(0);
    return this.outer.length - 1;
  }

  private selects({ entryNs }: SpanCall, exitNs: Nanoseconds, ending: number): boolean {
    const { window, calls } = this.question;
    if (!overlaps(window, entryNs, exitNs)) return false;
    if (calls.durations === null) return true;
    const ns = exitNs - entryNs;
    return isComplete(ending) && ns >= calls.durations.minNs && ns <= calls.durations.maxNs;
  }
}

/** Finds the stack of a thread at a point in time. */
export interface StackFrame {
  readonly symbol: SymbolId;
  readonly sinceNs: Nanoseconds;
  /** If not, the call may have begun before `sinceNs`. */
  readonly isStartSeen: boolean;
}

/** Outermost first; stops are on top. null: the thread was not observed at that time. */
export function stackAt(log: CallLog, { symbol }: CallTree, atNs: Nanoseconds): readonly StackFrame[] | null {
  let found: number[] | null = null;
  let startNs: Nanoseconds = Number.POSITIVE_INFINITY;
  const frames = new Map<number, StackFrame>(); // by the row that opened it
  const listener: CallListener = {
    newCall: () => new OpenCall(),
    opened() {},
    spent(top, fromNs, toNs) {
      startNs = Math.min(startNs, fromNs);
      if (atNs < fromNs || atNs >= toNs) return;
      found = [];
      for (let call: OpenCall | null = top; call !== null; call = call.below) {
        found.push(call.row);
        frames.set(call.row, { symbol: symbol[call.node], sinceNs: call.entryNs, isStartSeen: true });
      }
    },
    closed(call, _exitNs, ending) {
      const frame = frames.get(call.row);
      if (frame && !isStartSeen(call, ending, startNs)) frames.set(call.row, { ...frame, isStartSeen: false });
    },
  };
  walkCalls(log, listener);
  return (found as number[] | null)?.reverse().map((row) => frames.get(row) as StackFrame) ?? null;
}

/** A gap may have cut either end. The start of a stop that a thread begins with, at `startNs`, was not seen. */
function isStartSeen({ isStop, entryNs }: OpenCall, ending: number, startNs: Nanoseconds): boolean {
  if (isStop) return ending === NONE || entryNs > startNs;
  return ending !== Inference.OpenAtStart && ending !== Inference.CutByGap;
}
