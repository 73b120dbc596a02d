/**
 * The strip of a thread: what it did, by slice of time.
 */
import { SpecialSymbol } from '../names/symbol-table.js';
import type { SymbolId } from '../units.js';

/** What a thread does. Running: in code, named or not. */
export const Activity = { Running: 0, Syscall: 1, Untraced: 2, OffCpu: 3, Preempted: 4, Lost: 5 } as const;
export type Activity = (typeof Activity)[keyof typeof Activity];
export const ACTIVITIES = Object.keys(Activity).length;

/** By slice, `ACTIVITIES` times each, in the order of `Activity`. What is missing of a slice, the thread was not observed. */
export type Strip = Float64Array;

/** `symbol`: of the node whose own time it is. */
export function activityOf(symbol: SymbolId): Activity {
  const isStop = symbol >= SpecialSymbol.Syscall && symbol <= SpecialSymbol.Lost;
  return isStop ? (symbol as Activity) : Activity.Running;
}
