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
import type { Rows } from '../module-memory.js';
import {
  FLAG_ALIASES,
  FLAG_CALLED,
  FLAG_DOUBT_BITS,
  FLAG_DOUBTS,
  FLAG_LEVEL,
  FRAME_BYTES,
  FRAME_CALL_ROW,
  FRAME_ENTRY_NS,
  FRAME_FLAGS,
  FRAME_FUNCTION,
  FRAME_HELD_NS,
  FRAME_INFERENCE,
  FRAME_KNOWN_FROM_NS,
  FRAME_KNOWN_UNTIL_NS,
  FRAME_LEVEL,
  FRAME_LOG_ROW,
  FRAME_NEXT_LOWER,
  FRAME_NODE,
  FRAME_ORDER,
  FRAME_RETURN_ROW,
  FRAME_RETURNS_TO,
} from '../wasm/layout.js';

/** A row: see wasm/layout.ts, whose offsets are bytes. */
export const FRAME_INTS = FRAME_BYTES / Int32Array.BYTES_PER_ELEMENT;
const INTS = FRAME_INTS;
const FLOATS = FRAME_BYTES / Float64Array.BYTES_PER_ELEMENT;
const int = (offset: number) => offset / Int32Array.BYTES_PER_ELEMENT;
const float = (offset: number) => offset / Float64Array.BYTES_PER_ELEMENT;
const Int = {
  Function: int(FRAME_FUNCTION),
  Node: int(FRAME_NODE),
  CallRow: int(FRAME_CALL_ROW),
  Level: int(FRAME_LEVEL),
  Inference: int(FRAME_INFERENCE),
  Flags: int(FRAME_FLAGS),
  Order: int(FRAME_ORDER),
  ReturnRow: int(FRAME_RETURN_ROW),
  NextLower: int(FRAME_NEXT_LOWER),
  LogRow: int(FRAME_LOG_ROW),
} as const;
const Float = {
  EntryNs: float(FRAME_ENTRY_NS),
  KnownFromNs: float(FRAME_KNOWN_FROM_NS),
  KnownUntilNs: float(FRAME_KNOWN_UNTIL_NS),
  ReturnsTo: float(FRAME_RETURNS_TO),
  HeldNs: float(FRAME_HELD_NS),
} as const;

/** A frame: a row of numbers, which the module opens and closes, too. Millions open and close, and few are open at a time. */
export class Frame {
  private readonly ints: number;
  private readonly floats: number;
  private otherFunctions: readonly FunctionId[] = [];

  constructor(
    private readonly rows: Rows,
    index: number,
  ) {
    this.ints = INTS * index;
    this.floats = FLOATS * index;
  }

  get fn(): FunctionId {
    return this.rows.ints[this.ints + Int.Function];
  }
  set fn(value: FunctionId) {
    this.rows.ints[this.ints + Int.Function] = value;
  }

  get node(): NodeId {
    return this.rows.ints[this.ints + Int.Node];
  }
  set node(value: NodeId) {
    this.rows.ints[this.ints + Int.Node] = value;
  }

  /** The row of the call log that opened it, if there is a log. */
  get logRow(): number {
    return this.rows.ints[this.ints + Int.LogRow];
  }
  set logRow(value: number) {
    this.rows.ints[this.ints + Int.LogRow] = value;
  }

  get entryNs(): Nanoseconds {
    return this.rows.floats[this.floats + Float.EntryNs];
  }

  /**
   * It is certainly there from this time on. After a hidden jump: the time of its first event, or Infinity if it had none
   * yet.
   */
  get knownFromNs(): Nanoseconds {
    return this.rows.floats[this.floats + Float.KnownFromNs];
  }
  set knownFromNs(value: Nanoseconds) {
    this.rows.floats[this.floats + Float.KnownFromNs] = value;
  }

  /** It is certainly there until this time, if trace data was lost since; else Infinity. */
  get knownUntilNs(): Nanoseconds {
    return this.rows.floats[this.floats + Float.KnownUntilNs];
  }
  set knownUntilNs(value: Nanoseconds) {
    this.rows.floats[this.floats + Float.KnownUntilNs] = value;
  }

  /** Why its start was not seen (`Inference`), or NONE. */
  get inference(): number {
    return this.rows.ints[this.ints + Int.Inference];
  }
  set inference(value: number) {
    this.rows.ints[this.ints + Int.Inference] = value;
  }

  /** Index of the first frame of its level. */
  get level(): number {
    return this.rows.ints[this.ints + Int.Level];
  }

  /** Row of the event that called its level; NONE if that was not seen. */
  get callRow(): number {
    return this.rows.ints[this.ints + Int.CallRow];
  }

  /** Row that called it, found it or put it back on the stack; never less than that of a frame below it. */
  get order(): number {
    return this.rows.ints[this.ints + Int.Order];
  }
  set order(value: number) {
    this.rows.ints[this.ints + Int.Order] = value;
  }

  /** For a level that was open when its stack was first seen: the row of the return that ends it; else NONE. */
  get returnRow(): number {
    return this.rows.ints[this.ints + Int.ReturnRow];
  }
  set returnRow(value: number) {
    this.rows.ints[this.ints + Int.ReturnRow] = value;
  }

  /** Address that its level returns to, if such a return is known; else NaN. */
  get returnsTo(): Address {
    return this.rows.floats[this.floats + Float.ReturnsTo];
  }
  set returnsTo(value: Address) {
    this.rows.floats[this.floats + Float.ReturnsTo] = value;
  }

  /** Time spent in a stub, held back until it is known where the stub leads. */
  get heldNs(): Nanoseconds {
    return this.rows.floats[this.floats + Float.HeldNs];
  }
  set heldNs(value: Nanoseconds) {
    this.rows.floats[this.floats + Float.HeldNs] = value;
  }

  /** Index of the next lower frame of the same function, or NONE. Valid once the frame is in the `FrameIndex`. */
  get nextLower(): number {
    return this.rows.ints[this.ints + Int.NextLower];
  }
  set nextLower(value: number) {
    this.rows.ints[this.ints + Int.NextLower] = value;
  }

  /** Why it may not be there, or not on these frames: a bit for each `Doubt`. */
  get doubts(): number {
    return (this.rows.ints[this.ints + Int.Flags] & FLAG_DOUBTS) >> FLAG_DOUBT_BITS;
  }
  set doubts(value: number) {
    const at = this.ints + Int.Flags;
    this.rows.ints[at] = (this.rows.ints[at] & ~FLAG_DOUBTS) | (value << FLAG_DOUBT_BITS);
  }

  /** It is the first frame of its level. */
  get isLevel(): boolean {
    return this.has(FLAG_LEVEL);
  }
  set isLevel(value: boolean) {
    this.set(FLAG_LEVEL, value);
  }

  /** It was called, as opposed to jumped to or found running. */
  get isCalled(): boolean {
    return this.has(FLAG_CALLED);
  }
  set isCalled(value: boolean) {
    this.set(FLAG_CALLED, value);
  }

  /** Other symbols whose code was seen to be part of this function. */
  get aliases(): readonly FunctionId[] {
    return this.has(FLAG_ALIASES) ? this.otherFunctions : [];
  }
  set aliases(functions: readonly FunctionId[]) {
    this.otherFunctions = functions;
    this.set(FLAG_ALIASES, functions.length > 0);
  }

  /** Resets the frame to a function that the event in `row` calls now. */
  open(fn: FunctionId, node: NodeId, entryNs: Nanoseconds, index: number, row: number): void {
    const { ints, floats } = this.rows;
    const at = this.ints;
    ints[at + Int.Function] = fn;
    ints[at + Int.Node] = node;
    ints[at + Int.CallRow] = row;
    ints[at + Int.Level] = index;
    ints[at + Int.Inference] = NONE;
    ints[at + Int.Flags] = FLAG_LEVEL | FLAG_CALLED;
    ints[at + Int.Order] = row;
    ints[at + Int.ReturnRow] = NONE;
    const from = this.floats;
    floats[from + Float.EntryNs] = entryNs;
    floats[from + Float.KnownFromNs] = entryNs;
    floats[from + Float.KnownUntilNs] = Number.POSITIVE_INFINITY;
    floats[from + Float.ReturnsTo] = Number.NaN;
    floats[from + Float.HeldNs] = 0;
  }

  private has(flag: number): boolean {
    return (this.rows.ints[this.ints + Int.Flags] & flag) !== 0;
  }

  private set(flag: number, isSet: boolean): void {
    const { ints } = this.rows;
    const at = this.ints + Int.Flags;
    ints[at] = isSet ? ints[at] | flag : ints[at] & ~flag;
  }
}

/** The frames of a stack that does not run. */
export interface ParkedFrames {
  readonly depth: number;
  readonly ints: Int32Array;
  /** By frame: other symbols of its code. */
  readonly aliases: readonly (readonly FunctionId[])[];
  /** The node that its lowest frame is below. */
  readonly base: NodeId;
  readonly isFirst: boolean;
  /** They were found to be a stack of their own only afterwards: they stay where they are shown. */
  readonly isSplit: boolean;
  readonly unconfirmedFrom: number;
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

/** How stacks are shown that a thread switches to: as roots of their own, or on the call that left its first stack. */
export type Fibers = 'root' | 'nest';

/** Whether the kernel's scheduler is shown between a function that sleeps and its time without a CPU. */
export type Scheduler = 'hide' | 'show';
