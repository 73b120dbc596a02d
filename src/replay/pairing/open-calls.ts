/**
 * The calls, kernel entries and signals that are open during pairing: a stack that can be searched by address. Searches
 * have a bound, or an index.
 */

import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { type Address, NONE } from '../../model/units.js';
import { SYSCALL_BYTES } from '../functions/site-facts.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import type { Rows } from '../module-memory.js';
import {
  ADDRESS,
  CALL_FLOATS,
  CALL_INTS,
  CallKind,
  type CallRows,
  isEndOf,
  isSignal,
  KIND,
  MAX_SEARCH_DEPTH,
  type OpenCall,
  ROW,
} from './stacks.js';

/** As many calls are searched for a recursion. */
const MAX_REPEATED = 256;

export class OpenCalls {
  length = 0;
  /** Indexes of signals and kernel entries. */
  private readonly interrupts: number[] = [];
  /** null: not needed yet. */
  private index: CallIndex | null = null;

  constructor(
    /** The open calls, lowest first; may be longer than `length`. */
    readonly calls: Rows,
    /** Rows of calls that do not return. */
    private readonly unwound: ReadonlySet<number> = new Set(),
  ) {}

  /** Index from which on there are only plain calls, without signals and kernel entries. */
  get firstSimple(): number {
    return (this.interrupts.at(-1) ?? NONE) + 1;
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

  /** Returns the row of the call that called the function on top; NONE if that call was not seen. */
  topRow(): number {
    return this.length > 0 ? this.rowAt(this.length - 1) : NONE;
  }

  /** Removes all calls above an index and returns them, lowest first: they end without a return. */
  cutAbove(index: number): OpenCall[] {
    const calls: OpenCall[] = [];
    for (let at = index + 1; at < this.length; at++) calls.push(this.at(at));
    this.length = Math.min(this.length, index + 1);
    this.forgetInterrupts();
    return calls;
  }

  /** Returns a copy of the calls from an index on. */
  copy(first = 0): CallRows {
    const { length, calls } = this;
    const ints = calls.ints.slice(CALL_INTS * first, CALL_INTS * length);
    return { length: length - first, ints, floats: new Float64Array(ints.buffer) };
  }

  /** Replaces all calls: another stack runs. */
  replace({ length, ints }: CallRows): void {
    this.index?.forgetAll();
    this.interrupts.length = this.length = 0;
    while (this.calls.ints.length < CALL_INTS * length) this.calls.grow();
    this.calls.ints.set(ints.subarray(0, CALL_INTS * length));
    this.length = length;
    for (let index = 0; index < length; index++) if (this.kindAt(index) !== CallKind.Call) this.interrupts.push(index);
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
      if (isEndOf(this.addressAt(index), this.kindAt(index), to) && !this.isUnwound(index)) return index;
    if (isNear || lowest === 0) return NONE;
    this.index ??= new CallIndex(this);
    return this.index.find(to);
  }

  /** True if the call does not return. */
  isUnwound(index: number): boolean {
    return this.unwound.size > 0 && this.unwound.has(this.rowAt(index));
  }

  /** Returns the index of the nearest call whose row matches, or NONE. The search is bounded. */
  findNear(isMeant: (row: number) => boolean): number {
    const lowest = Math.max(0, this.length - MAX_SEARCH_DEPTH);
    for (let index = this.length - 1; index >= lowest; index--) if (isMeant(this.rowAt(index))) return index;
    return NONE;
  }

  /** Returns the row of the lowest of the uppermost calls whose instruction made several of them; or NONE. */
  lowestRepeated(): number {
    const lowest = Math.max(0, this.length - MAX_REPEATED);
    const uppermost = new Map<Address, number>();
    for (let index = lowest; index < this.length; index++) uppermost.set(this.addressAt(index), index);
    for (let index = lowest; index < this.length; index++)
      if (uppermost.get(this.addressAt(index)) !== index) return this.rowAt(index);
    return NONE;
  }

  /** Returns the index of the signal or kernel entry that interrupted the code at this address, or NONE. */
  findInterrupted(to: Address): number {
    return this.findInterrupt(({ address }) => address <= to && to <= address + SYSCALL_BYTES);
  }

  /** Returns the index of the innermost signal or kernel entry that matches, or NONE. The search is bounded. */
  findInterrupt(isMeant: (call: OpenCall) => boolean): number {
    return this.interrupts.slice(-MAX_SEARCH_DEPTH).findLast((index) => isMeant(this.at(index))) ?? NONE;
  }

  /** Returns the index of the innermost interrupt if it is a signal, or NONE. */
  innermostSignal(): number {
    const index = this.interrupts.at(-1) ?? NONE;
    return index !== NONE && isSignal(this.kindAt(index)) ? index : NONE;
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
  isUnwound(index: number): boolean;
}

/**
 * Finds open calls by address, however deep they are. Calls are indexed only for a search, and each one once: a search
 * that finds nothing leaves the stack as it is, and many of them must not walk it again and again.
 */
class CallIndex {
  /** Copies of the lowest calls, by which is seen whether they are still open: rows differ. */
  private readonly rows = int32Column();
  private readonly addresses = float64Column();
  private readonly kinds = uint8Column();
  /** The nearest call below with the same address and kind, or NONE. */
  private readonly below = int32Column();
  /** By kind, then address: the uppermost call. Signals do not return to an address. */
  private readonly uppermost = [CallKind.Call, CallKind.KernelEntry].map(() => new Map<Address, number>());

  constructor(private readonly open: CallStack) {}

  /** Returns the index of the uppermost call that a return to this address ends, or NONE. */
  find(to: Address): number {
    this.forgetEnded();
    this.addOpen();
    let found: number = NONE;
    this.uppermost.forEach((indexOf, kind) => {
      for (let bytes = 0; bytes <= MAX_CALL_BYTES; bytes++)
        if (isEndOf(to - bytes, kind, to)) found = Math.max(found, this.returning(indexOf.get(to - bytes) ?? NONE));
    });
    return found;
  }

  /** Returns this call or the nearest one like it below that returns; or NONE. */
  private returning(first: number): number {
    let index = first;
    while (index !== NONE && this.open.isUnwound(index)) index = this.below.values[index];
    return index;
  }

  /** Forgets calls that are no longer open. Must precede a push of rows that were open before. */
  forgetEnded(): void {
    for (let at = this.rows.length - 1; at >= 0; at--) {
      if (at < this.open.length && this.open.rowAt(at) === this.rows.values[at]) return; // so are those below
      this.forgetLast();
    }
  }

  forgetAll(): void {
    while (this.rows.length > 0) this.forgetLast();
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
