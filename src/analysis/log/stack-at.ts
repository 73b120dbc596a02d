/**
 * Finds the stack of a thread at a point in time.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { Inference } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

export interface StackFrame {
  readonly symbol: SymbolId;
  readonly sinceNs: Nanoseconds;
  /** If not, the call may have begun before `sinceNs`. */
  readonly isStartSeen: boolean;
}

/** Outermost first; stops are on top. null: the thread was not observed at that time. */
export function stackAt(log: CallLog, { symbol }: CallTree, atNs: Nanoseconds): readonly StackFrame[] | null {
  let found: number[] | null = null;
  const frames = new Map<number, StackFrame>(); // by the row that opened it
  const listener: CallListener = {
    newCall: () => new OpenCall(),
    opened() {},
    spent(top, fromNs, toNs) {
      if (atNs < fromNs || atNs >= toNs) return;
      found = [];
      for (let call: OpenCall | null = top; call !== null; call = call.below) {
        found.push(call.row);
        frames.set(call.row, { symbol: symbol[call.node], sinceNs: call.entryNs, isStartSeen: true });
      }
    },
    closed(call, _exitNs, ending) {
      const frame = frames.get(call.row);
      if (frame && !isStartSeen(call, ending, log)) frames.set(call.row, { ...frame, isStartSeen: false });
    },
  };
  walkCalls(log, listener);
  return (found as number[] | null)?.reverse().map((row) => frames.get(row) as StackFrame) ?? null;
}

/** A gap may have cut either end. The start of a stop that a thread begins with was not seen. */
function isStartSeen({ isStop, entryNs }: OpenCall, ending: number, { timeNs }: CallLog): boolean {
  if (isStop) return ending === NONE || entryNs > timeNs[0];
  return ending !== Inference.OpenAtStart && ending !== Inference.CutByGap;
}
