/**
 * The stack of a thread at a moment.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { Inference } from '../../model/profile/quality.js';
import { type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

export interface StackFrame {
  readonly symbol: SymbolId;
  readonly sinceNs: Nanoseconds;
  /** Else it may have been there before. */
  readonly isStartSeen: boolean;
}

/** Lowest first; stops stand on top. null: the thread was not observed at that time. */
export function stackAt(log: CallLog, { symbol }: CallTree, atNs: Nanoseconds): readonly StackFrame[] | null {
  let found: number[] | null = null;
  const frames = new Map<number, StackFrame>(); // by row that opened it
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
    closed(call, _exitNs, why) {
      const frame = frames.get(call.row);
      if (frame && !isStartSeen(call, why, log)) frames.set(call.row, { ...frame, isStartSeen: false });
    },
  };
  walkCalls(log, listener);
  return (found as number[] | null)?.reverse().map((row) => frames.get(row) as StackFrame) ?? null;
}

/** A gap may have cut either end. Of stops those that a thread begins with were not seen to begin. */
function isStartSeen({ isStop, entryNs }: OpenCall, why: number, { timeNs }: CallLog): boolean {
  if (isStop) return why === NONE || entryNs > timeNs[0];
  return why !== Inference.OpenAtStart && why !== Inference.CutByGap;
}
