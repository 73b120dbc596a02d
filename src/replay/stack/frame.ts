/**
 * One frame of a thread's stack during replay.
 */
import {
  type Address,
  type FunctionId,
  type Nanoseconds,
  NONE,
  type NodeId,
  type SymbolId,
} from '../../model/units.js';

/** A frame. Objects are reused: millions of frames open and close, and few are open at a time. */
export class Frame {
  fn: FunctionId = 0;
  node: NodeId = 0;
  /** The row of the call log that opened it, if there is a log. */
  logRow = 0;
  entryNs: Nanoseconds = 0;
  /**
   * It is certainly there from this time on. After a hidden jump: the time of its first event, or Infinity if it had
   * none yet.
   */
  knownFromNs: Nanoseconds = 0;
  /** It is certainly there until this time, if trace data was lost since; else Infinity. */
  knownUntilNs: Nanoseconds = Number.POSITIVE_INFINITY;
  /** Why its start was not seen (`Inference`), or NONE. */
  inference: number = NONE;
  /** No address confirms that it is open. */
  isUnconfirmed = false;
  /** It may not be there: a hidden jump led to it or to another frame, and no address decides which. */
  isAfterHiddenJump = false;
  /** It is the first frame of its level. */
  isLevel = false;
  /** Index of the first frame of its level. */
  level = 0;
  /** Row of the event that called its level; NONE if that was not seen. */
  callRow: number = NONE;
  /** Row that called it, found it or put it back on the stack; never less than that of a frame below it. */
  order: number = NONE;
  /** For a level that was open when its stack was first seen: the row of the return that ends it; else NONE. */
  returnRow: number = NONE;
  /** Address that its level returns to, if such a return is known; else NaN. */
  returnsTo: Address = Number.NaN;
  /** It was called, as opposed to jumped to or found running. */
  isCalled = false;
  /** Time spent in a stub, held back until it is known where the stub leads. */
  heldNs: Nanoseconds = 0;
  /** Other symbols whose code was seen to be part of this function. */
  aliases: readonly FunctionId[] | null = null;
  /** Index of the next lower frame of the same function, or NONE. Valid once the frame is in the `FrameIndex`. */
  nextLower: number = NONE;

  /** Resets the frame to a function that the event in `row` calls now. */
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
   * True if the frame is exactly what a call by the event in `row` pushed at this index: alone on its level, with its
   * start seen and no hidden jump before it.
   */
  isSimpleCallOf(row: number, index: number): boolean {
    return this.callRow === row && this.level === index && this.inference === NONE && !this.isAfterHiddenJump;
  }
}

/** Receives every frame that opens, closes or turns out to be another function: for tests and debug output. */
export interface FrameWatcher {
  /** The events up to this row are replayed next. */
  atRow(row: number): void;
  opened(symbol: SymbolId, depth: number, inference: number): void;
  closed(symbol: SymbolId, depth: number, inference: number): void;
  renamed(from: SymbolId, to: SymbolId, depth: number): void;
  /** Its stack is parked. */
  setAside(symbol: SymbolId, depth: number): void;
  putBack(symbol: SymbolId, depth: number): void;
}

export type TailCalls = 'nest' | 'replace';
