/**
 * The stack of a thread at a moment.
 */
import type { CallLog } from '../model/call-log.js';
import type { CallTree } from '../model/call-tree.js';
import type { Nanoseconds, SymbolId } from '../model/units.js';
import { type CallListener, type OpenCall, walkCalls } from './walk-calls.js';

export interface StackFrame {
  readonly symbol: SymbolId;
  readonly sinceNs: Nanoseconds;
}

/** Lowest first; stops stand on top. null: the thread was not observed at that time. */
export function stackAt(log: CallLog, { symbol }: CallTree, atNs: Nanoseconds): readonly StackFrame[] | null {
  let found: StackFrame[] | null = null;
  const listener: CallListener = {
    opened() {},
    closed() {},
    spent(top, fromNs, toNs) {
      if (atNs < fromNs || atNs >= toNs) return;
      found = [];
      for (let call: OpenCall | null = top; call !== null; call = call.below)
        found.push({ symbol: symbol[call.node], sinceNs: call.entryNs });
      found.reverse();
    },
  };
  walkCalls(log, listener);
  return found;
}
