/**
 * One frame of a thread's stack, while it is replayed.
 */
import type { Address, FunctionId, Nanoseconds, NodeId, SymbolId } from '../model/units.js';

export interface Frame {
  fn: FunctionId;
  node: NodeId;
  entryNs: Nanoseconds;
  /** Why its start was not seen, or NONE. */
  inference: number;
  /** Its place is a guess: no address confirms it. */
  isGuess: boolean;
  /** It was jumped to unseen: functions that only passed on control may be missing below it. */
  readonly isHidden: boolean;
  /** It is the first frame of its level. */
  readonly isLevel: boolean;
  /** Place of the first frame of its level. */
  level: number;
  /** Row of the event that called the level; NONE: that was not seen. */
  readonly callRow: number;
  /** Not less than that of any frame below: the row that called it, found it, or brought it back on the stack. */
  order: number;
  /** Of a level that was there when its stack was first seen: the row of the return that leaves it; else NONE. */
  leave: number;
  /** Where its level returns to, if a return is known that does; else NaN. */
  returnsTo: Address;
  /** It was called; else it was jumped to, or found running. */
  isCalled: boolean;
  /** Time spent in a stub, until it is known where it leads. */
  heldNs: Nanoseconds;
  /** Other symbols whose code was seen to be part of this function. */
  aliases: FunctionId[] | null;
  /** Place of the next lower frame of the same function, or NONE. */
  older: number;
}

/** Told of every frame that opens, closes or turns out to be another function: for tests, and for people who read. */
export interface FrameWatcher {
  /** The events up to this row are replayed next. */
  atRow(row: number): void;
  opened(symbol: SymbolId, depth: number, inference: number): void;
  closed(symbol: SymbolId, depth: number, inference: number): void;
  renamed(from: SymbolId, to: SymbolId, depth: number): void;
  /** Its stack is left, and gone back to later. */
  setAside(symbol: SymbolId, depth: number): void;
  putBack(symbol: SymbolId, depth: number): void;
}

export type TailCalls = 'nest' | 'replace';
