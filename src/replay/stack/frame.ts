/**
 * One frame of a thread's stack, while it is replayed.
 */
import {
  type Address,
  type FunctionId,
  type Nanoseconds,
  NONE,
  type NodeId,
  type SymbolId,
} from '../../model/units.js';

/** Frames are used again: millions open and close, and few are open at a time. */
export class Frame {
  fn: FunctionId = 0;
  node: NodeId = 0;
  /** Where the log says that it was opened, if there is a log. */
  logRow = 0;
  entryNs: Nanoseconds = 0;
  /** From here on it is surely there: of a frame that was jumped to unseen, its first event; Infinity: none yet. */
  knownFromNs: Nanoseconds = 0;
  /** Up to here it is surely there, if something was lost since; else Infinity. */
  knownUntilNs: Nanoseconds = Number.POSITIVE_INFINITY;
  /** Why its start was not seen, or NONE. */
  inference: number = NONE;
  /** Its index is a guess: no address confirms it. */
  isUnconfirmed = false;
  /** It may not be there: a jump that was not shown led to it, or to another index, and no address tells which. */
  isAfterHiddenJump = false;
  /** It is the first frame of its level. */
  isLevel = false;
  /** Place of the first frame of its level. */
  level = 0;
  /** Row of the event that called the level; NONE: that was not seen. */
  callRow: number = NONE;
  /** Not less than that of any frame below: the row that called it, found it, or brought it back on the stack. */
  order: number = NONE;
  /** Of a level that was there when its stack was first seen: the row of the return that leaves it; else NONE. */
  returnRow: number = NONE;
  /** Where its level returns to, if a return is known that does; else NaN. */
  returnsTo: Address = Number.NaN;
  /** It was called; else it was jumped to, or found running. */
  isCalled = false;
  /** Time spent in a stub, until it is known where it leads. */
  heldNs: Nanoseconds = 0;
  /** Other symbols whose code was seen to be part of this function. */
  aliases: readonly FunctionId[] | null = null;
  /** Place of the next lower frame of the same function, or NONE; known if it is in the index. */
  nextLower: number = NONE;

  /** Begins anew: a function called by the event in `row` now, which is all there is to say of it. */
  open(fn: FunctionId, node: NodeId, entryNs: Nanoseconds, index: number, row: number): void {
    this.fn = fn;
    this.node = node;
    this.entryNs = entryNs;
    this.knownFromNs = entryNs;
    this.knownUntilNs = Number.POSITIVE_INFINITY;
    this.inference = NONE;
    this.isUnconfirmed = false;
    this.isAfterHiddenJump = false;
    this.isLevel = true;
    this.level = index;
    this.callRow = row;
    this.order = row;
    this.returnRow = NONE;
    this.returnsTo = Number.NaN;
    this.isCalled = true;
    this.heldNs = 0;
    this.aliases = null;
  }

  /**
   * Nothing is to be said of it but that the event in `row` called it to this index: it is its level, alone, and its start
   * was seen (so it is not in doubt).
   */
  isSimpleCallOf(row: number, index: number): boolean {
    return this.callRow === row && this.level === index && this.inference === NONE && !this.isAfterHiddenJump;
  }
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
