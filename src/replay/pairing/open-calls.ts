/**
 * The calls, kernel entries and signals that are open during pairing: a stack that can be searched by address. Searches
 * have a bound, or an index.
 */

import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { type Address, NONE } from '../../model/units.js';
import { SYSCALL_BYTES } from '../functions/site-facts.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import type { Rows } from '../module-memory.js';
import { CALL_ADDRESS, CALL_BYTES, CALL_KIND, CALL_ROW } from '../wasm/layout.js';
import {
  CallKind,
  isEndOf,
  isSignal,
  MAX_SEARCH_DEPTH,
  type OpenCall,
  type SkippedStack,
  type StackEntry,
} from './parked-stacks.js';

/** The layout of a call, in integers and in floating-point numbers. */
export const CALL_INTS = CALL_BYTES / Int32Array.BYTES_PER_ELEMENT;
export const CALL_FLOATS = CALL_BYTES / Float64Array.BYTES_PER_ELEMENT;
export const ADDRESS = CALL_ADDRESS / Float64Array.BYTES_PER_ELEMENT;
export const ROW = CALL_ROW / Int32Array.BYTES_PER_ELEMENT;
export const KIND = CALL_KIND / Int32Array.BYTES_PER_ELEMENT;

export class OpenCalls {
  length = 0;
  /** The open calls, lowest first; may be longer than `length`. */
  readonly calls: Rows;
  /** Indexes of signals and kernel entries. */
  private readonly interrupts: number[] = [];
  private readonly switches: StackEntry[] = [];
  /** null: not needed yet. */
  private index: CallIndex | null = null;

  constructor(calls: Rows) {
    this.calls = calls;
  }

  /** Index from which on the running stack holds only plain calls, without signals and kernel entries. */
  get firstSimple(): number {
    return Math.max((this.interrupts.at(-1) ?? NONE) + 1, this.switches.at(-1)?.base ?? 0);
  }

  /** True if nothing is above the call at this index, not even an empty stack that was switched to. */
  isTop(index: number): boolean {
    const { switches, length } = this;
    return index === length - 1 && (switches.length === 0 || (switches.at(-1) as StackEntry).base <= index);
  }

  at(index: number): OpenCall {
    return { row: this.rowAt(index), address: this.addressAt(index), kind: this.kindAt(index) };
  }

  rowAt(index: number): number {
    return this.calls.ints[CALL_INTS * index + ROW];
  }

  private addressAt(index: number): Address {
    return this.calls.floats[CALL_FLOATS * index + ADDRESS];
  }

  private kindAt(index: number): CallKind {
    return this.calls.ints[CALL_INTS * index + KIND] as CallKind;
  }

  /** Returns the rows of all calls, lowest first. */
  allRows(): number[] {
    return Array.from({ length: this.length }, (_, index) => this.rowAt(index));
  }

  push(row: number, address: Address, kind: CallKind): void {
    if (CALL_INTS * this.length === this.calls.ints.length) this.calls.grow();
    if (kind !== CallKind.Call) this.interrupts.push(this.length);
    const { ints, floats } = this.calls;
    floats[CALL_FLOATS * this.length + ADDRESS] = address;
    ints[CALL_INTS * this.length + ROW] = row;
    ints[CALL_INTS * this.length++ + KIND] = kind;
  }

  /** Pushes calls that were open before. */
  pushAgain(calls: readonly OpenCall[]): void {
    this.index?.forgetEnded();
    for (const { row, address, kind } of calls) this.push(row, address, kind);
  }

  /** Begins another stack: calls pushed from now on belong to it. */
  switchStack(change: Omit<StackEntry, 'base'>): void {
    this.switches.push({ ...change, base: this.length });
  }

  /** Returns the index of the newest switch that matches, or NONE. */
  findSwitch(isMeant: (change: StackEntry) => boolean): number {
    return this.switches.findLastIndex(isMeant);
  }

  /** Returns the switch at an index. */
  switchAt(index: number): StackEntry {
    return this.switches[index] as StackEntry;
  }

  /**
   * True if what first ran on the running stack, one that was switched to, runs again. `makecontext` lets that return
   * to a function entry.
   */
  isAtBase(): boolean {
    const current = this.switches.at(-1);
    return current !== undefined && current.stack !== null && current.base === this.length;
  }

  /** Returns the uppermost calls of the running stack, lowest first, at most `max`. */
  callsOfStack(max: number): OpenCall[] {
    const calls: OpenCall[] = [];
    for (let index = Math.max(this.switches.at(-1)?.base ?? 0, this.length - max); index < this.length; index++)
      calls.push(this.at(index));
    return calls;
  }

  /** Returns the row of the call that called the top frame of the running stack; NONE if that call was not seen. */
  topOfStack(): number {
    const lowest = this.switches.at(-1)?.base ?? 0;
    return this.length > lowest ? this.rowAt(this.length - 1) : NONE;
  }

  /**
   * Removes all calls above an index and returns them, grouped by stack, lowest first. They did not return, and their
   * stacks may only be waiting.
   */
  cutAbove(index: number): SkippedStack[] {
    return this.cut(
      index + 1,
      this.switches.findLastIndex((change) => change.base <= index),
    );
  }

  /** Removes every call on the stack of the switch at an index and on those above it; NONE: every call. */
  cutStack(index: number): SkippedStack[] {
    return this.cut(index === NONE ? 0 : this.switchAt(index).base, index);
  }

  /** Removes the stack of the switch at an index, and those above it. */
  takeStack(index: number): SkippedStack[] {
    return this.cut(this.switchAt(index).base, index - 1);
  }

  /** Ends the call on top. */
  pop(): void {
    this.length--;
    this.forgetInterrupts();
  }

  /** Returns the index of the call that a return to this address ends, or NONE. `isNear`: bounds the search. */
  findCaller(to: Address, isNear: boolean): number {
    const lowest = Math.max(0, this.length - MAX_SEARCH_DEPTH);
    for (let index = this.length - 1; index >= lowest; index--)
      if (isEndOf(this.addressAt(index), this.kindAt(index), to)) return index;
    if (isNear || lowest === 0) return NONE;
    this.index ??= new CallIndex(this);
    return this.index.find(to);
  }

  /** Returns the index of the nearest call on this stack whose row matches, or NONE. The search is bounded. */
  findNear(isMeant: (row: number) => boolean): number {
    const lowest = Math.max(this.switches.at(-1)?.base ?? 0, this.length - MAX_SEARCH_DEPTH);
    for (let index = this.length - 1; index >= lowest; index--) if (isMeant(this.rowAt(index))) return index;
    return NONE;
  }

  /** Returns the index of the signal or kernel entry that interrupted the code at this address, or NONE. */
  findInterrupted(to: Address): number {
    for (const index of this.interrupts.slice(-MAX_SEARCH_DEPTH).reverse()) {
      const interrupted = this.addressAt(index);
      if (interrupted <= to && to <= interrupted + SYSCALL_BYTES) return index;
    }
    return NONE;
  }

  /** Returns the index of the innermost interrupt if it is a signal, or NONE. */
  innermostSignal(): number {
    const index = this.interrupts.at(-1) ?? NONE;
    return index !== NONE && isSignal(this.kindAt(index)) ? index : NONE;
  }

  /** Keeps the lowest `length` calls, and the switches up to the one at `keptSwitch`; returns what it removes. */
  private cut(length: number, keptSwitch: number): SkippedStack[] {
    const skipped: SkippedStack[] = [];
    while (this.switches.length - 1 > keptSwitch) {
      const { base, row, stack } = this.switches.pop() as StackEntry;
      skipped.unshift({ calls: this.takeFrom(base), startRow: row, stack });
    }
    skipped.unshift({ calls: this.takeFrom(length), startRow: NONE, stack: null });
    this.forgetInterrupts();
    return skipped.filter(({ calls }) => calls.length > 0);
  }

  private takeFrom(index: number): OpenCall[] {
    const calls: OpenCall[] = [];
    for (let at = index; at < this.length; at++) calls.push(this.at(at));
    this.length = Math.min(this.length, index);
    return calls;
  }

  private forgetInterrupts(): void {
    while ((this.interrupts.at(-1) ?? NONE) >= this.length) this.interrupts.pop();
  }
}

/** The open calls by index, lowest first. */
interface CallStack {
  readonly length: number;
  rowAt(index: number): number;
  at(index: number): OpenCall;
}

/**
 * Finds open calls by address, however deep they are. Calls are indexed only for a search, and each one once: a search
 * that finds nothing leaves the stack as it is, and many of them must not walk it again and again.
 */
class CallIndex {
  private readonly open: CallStack;
  /** Copies of the lowest calls, by which is seen whether they are still open: rows differ. */
  private readonly rows = int32Column();
  private readonly addresses = float64Column();
  private readonly kinds = uint8Column();
  /** The nearest call below with the same address and kind, or NONE. */
  private readonly below = int32Column();
  /** By kind, then address: the uppermost call. Signals do not return to an address. */
  private readonly uppermost = [CallKind.Call, CallKind.KernelEntry].map(() => new Map<Address, number>());

  constructor(open: CallStack) {
    this.open = open;
  }

  /** Returns the index of the uppermost call that a return to this address ends, or NONE. */
  find(to: Address): number {
    this.forgetEnded();
    this.addOpen();
    let found: number = NONE;
    this.uppermost.forEach((indexOf, kind) => {
      for (let bytes = 0; bytes <= MAX_CALL_BYTES; bytes++)
        if (isEndOf(to - bytes, kind, to)) found = Math.max(found, indexOf.get(to - bytes) ?? NONE);
    });
    return found;
  }

  /** Forgets calls that are no longer open. Must precede a push of rows that were open before. */
  forgetEnded(): void {
    for (let at = this.rows.length - 1; at >= 0; at--) {
      if (at < this.open.length && this.open.rowAt(at) === this.rows.values[at]) return; // so are those below
      this.forgetLast();
    }
  }

  private forgetLast(): void {
    const at = --this.rows.length;
    this.addresses.length = this.kinds.length = this.below.length = at;
    const indexOf = this.uppermost[this.kinds.values[at]];
    const address = this.addresses.values[at];
    const below = this.below.values[at];
    if (below === NONE) indexOf?.delete(address);
    else indexOf?.set(address, below);
  }

  private addOpen(): void {
    for (let at = this.rows.length; at < this.open.length; at++) {
      const { row, address, kind } = this.open.at(at);
      const indexOf = this.uppermost[kind];
      this.rows.push(row);
      this.addresses.push(address);
      this.kinds.push(kind);
      this.below.push(indexOf?.get(address) ?? NONE);
      indexOf?.set(address, at);
    }
  }
}
