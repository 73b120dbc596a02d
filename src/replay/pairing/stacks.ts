/**
 * The stacks of a thread. One runs; the others are parked: each waits at the call that left it, until some return or
 * jump continues it there.
 */
import { appendTo } from '../../model/groups.js';
import type { Address, FunctionId } from '../../model/units.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import { CALL_ADDRESS, CALL_BYTES, CALL_KIND, CALL_ROW } from '../wasm/layout.js';

/**
 * What ends a call. `Call`: a return to the code after it. `KernelEntry`: a return to the instruction or after it.
 * `Signal…`: the end of the signal.
 */
export const CallKind = { Call: 0, KernelEntry: 1, Signal: 2, SignalFromOutside: 3 } as const;
export type CallKind = (typeof CallKind)[keyof typeof CallKind];

export interface OpenCall {
  readonly row: number;
  /**
   * Address of the call instruction; for a signal or kernel entry, the address at which the interrupted code continues.
   */
  readonly address: Address;
  /** `SignalFromOutside`: interrupted untraced code, so there is no traced frame below it. */
  readonly kind: CallKind;
}

/** The layout of a call, in integers and in floating-point numbers. */
export const CALL_INTS = CALL_BYTES / Int32Array.BYTES_PER_ELEMENT;
export const CALL_FLOATS = CALL_BYTES / Float64Array.BYTES_PER_ELEMENT;
export const ADDRESS = CALL_ADDRESS / Float64Array.BYTES_PER_ELEMENT;
export const ROW = CALL_ROW / Int32Array.BYTES_PER_ELEMENT;
export const KIND = CALL_KIND / Int32Array.BYTES_PER_ELEMENT;

/** A stack as pairing and replay know it. */
export interface Stack {
  /** Rows of the returns from levels that were already open when the stack was first seen, in order. */
  readonly unmatchedRows: number[];
  /** The row of the call that the stack before it waits at, if others are above. */
  waitsAt?: number;
  /** It may be the upper part of a stack that is known otherwise. */
  isGuess?: boolean;
  /** It was seen to begin: nothing is below. */
  isWhole?: boolean;
}

/** Calls, lowest first, as rows of numbers. */
export interface CallRows {
  readonly length: number;
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

/** Returns the n-th call from the top; null: there are fewer. */
export function callFromTop({ length, ints, floats }: CallRows, n: number): OpenCall | null {
  const index = length - 1 - n;
  if (index < 0) return null;
  return {
    row: ints[CALL_INTS * index + ROW],
    address: floats[CALL_FLOATS * index + ADDRESS],
    kind: ints[CALL_INTS * index + KIND] as CallKind,
  };
}

/** A stack that waits. Its last call is the one that left it. */
export interface ParkedStack {
  readonly stack: Stack;
  readonly calls: CallRows;
  /** The function that made the last call. */
  readonly caller: FunctionId;
}

/** With more stacks or more calls, those that were parked first are dropped. */
const MAX_PARKED = 4096;
const MAX_PARKED_CALLS = 1 << 20;
/** If a call further down may have been returned to, as many stacks are searched, and as many of their calls. */
const MAX_SEARCHED = 256;
const MAX_SEARCHED_CALLS = 16;

/** The parked stacks of a thread. All lists are in the order in which they were parked. */
export class ParkedStacks {
  private readonly all = new Set<ParkedStack>();
  private readonly byLast = new Map<Address, ParkedStack[]>();
  private readonly bySecond = new Map<Address, ParkedStack[]>();
  private readonly byCaller = new Map<FunctionId, ParkedStack[]>();
  private calls = 0;

  has(parked: ParkedStack): boolean {
    return this.all.has(parked);
  }

  park(parked: ParkedStack): void {
    this.all.add(parked);
    this.calls += parked.calls.length;
    for (const [map, key] of this.keysOf(parked)) appendTo(map, key, parked);
    for (const first of this.all) {
      if (this.all.size <= MAX_PARKED && this.calls <= MAX_PARKED_CALLS) break;
      this.take(first);
    }
  }

  take(parked: ParkedStack): void {
    this.all.delete(parked);
    this.calls -= parked.calls.length;
    for (const [map, key] of this.keysOf(parked)) {
      const others = map.get(key) as ParkedStack[];
      others.splice(others.indexOf(parked), 1);
      if (others.length === 0) map.delete(key);
    }
  }

  /** Returns those whose last call ends with a return to this address. */
  endingAt(to: Address): ParkedStack[] {
    return this.found(this.byLast, to, 0);
  }

  /** Returns those whose last call but one does: where the function that made the last call returns. */
  returningTo(to: Address): ParkedStack[] {
    return this.found(this.bySecond, to, 1);
  }

  /** Returns those whose last call was made by this function. */
  leftBy(caller: FunctionId): readonly ParkedStack[] {
    return this.byCaller.get(caller) ?? [];
  }

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Returns the stack that was parked first, or last, of those whose calls match, as far as it is searched for. */
  find(isMeant: (calls: CallRows) => boolean, isLast = false): ParkedStack | undefined {
    let searched = 0;
    for (const parked of isLast ? [...this.all].reverse() : this.all) {
      if (++searched > MAX_SEARCHED) break;
      if (isMeant(parked.calls)) return parked;
    }
    return undefined;
  }

  /** Returns those whose calls match, as far as they are searched for. */
  findAll(isMeant: (calls: CallRows) => boolean): ParkedStack[] {
    const found: ParkedStack[] = [];
    let searched = 0;
    for (const parked of this.all) {
      if (++searched > MAX_SEARCHED) break;
      if (isMeant(parked.calls)) found.push(parked);
    }
    return found;
  }

  /** Returns the stack that was parked first of those in which a return to this address ends a call further down. */
  holding(to: Address): { readonly parked: ParkedStack; readonly above: number } | null {
    let searched = 0;
    for (const parked of this.all) {
      if (++searched > MAX_SEARCHED) break;
      for (let above = 1; above < MAX_SEARCHED_CALLS; above++) {
        const call = callFromTop(parked.calls, above);
        if (call === null) break;
        if (endsAt(call, to)) return { parked, above };
      }
    }
    return null;
  }

  private found(map: ReadonlyMap<Address, ParkedStack[]>, to: Address, above: number): ParkedStack[] {
    const found: ParkedStack[] = [];
    if (map.size === 0) return found;
    for (let bytes = 0; bytes <= MAX_CALL_BYTES; bytes++)
      for (const parked of map.get(to - bytes) ?? [])
        if (endsAt(callFromTop(parked.calls, above) as OpenCall, to)) found.push(parked);
    return found;
  }

  private keysOf({ calls, caller }: ParkedStack): [Map<number, ParkedStack[]>, number][] {
    const keys: [Map<number, ParkedStack[]>, number][] = [
      [this.byLast, (callFromTop(calls, 0) as OpenCall).address],
      [this.byCaller, caller],
    ];
    const second = callFromTop(calls, 1);
    if (second) keys.push([this.bySecond, second.address]);
    return keys;
  }
}

/**
 * Chooses the stack that continues among stacks that look alike: the one whose calls the next returns end, from the top
 * downwards; the uppermost one is over. Among those that remain, the first one. Returns its index, and how many of its
 * uppermost calls another one has that might continue, too; 0: none that differs.
 */
export function chooseAlike(
  stacks: readonly CallRows[],
  nextReturns: readonly Address[],
): { readonly index: number; readonly alike: number } {
  let alike = [...stacks.keys()];
  for (const [n, to] of nextReturns.entries()) {
    if (alike.length === 1) break;
    const fits = alike.filter((index) => {
      const call = callFromTop(stacks[index] as CallRows, 1 + n);
      return call !== null && endsAt(call, to);
    });
    if (fits.length === 0) break;
    alike = fits;
  }
  const [first, ...others] = alike.map((index) => stacks[index] as CallRows) as [CallRows, ...CallRows[]];
  return { index: alike[0] as number, alike: Math.max(0, ...others.map((other) => sameCalls(first, other))) };
}

/** Returns how many of the uppermost calls are the same; 0: all of them. */
function sameCalls(a: CallRows, b: CallRows): number {
  let same = 0;
  const addressAt = ({ length, floats }: CallRows) => floats[CALL_FLOATS * (length - 1 - same) + ADDRESS];
  while (same < Math.min(a.length, b.length) && addressAt(a) === addressAt(b)) same++;
  return same === a.length && same === b.length ? 0 : Math.max(1, same);
}

/** Deepest level that searches examine for nested signals and interrupts, and for returns into function entries. */
export const MAX_SEARCH_DEPTH = 64;

/** Where a return goes that ends a signal handler: the code there is not what was interrupted. */
export const SIGNAL_END = Number.NaN;

/** True if a return to this address ends the call. */
export function endsAt({ address, kind }: OpenCall, to: Address): boolean {
  return isEndOf(address, kind, to);
}

/** A kernel entry may return to the very same instruction. */
export function isEndOf(address: Address, kind: number, to: Address): boolean {
  const distance = to - address;
  if (isSignal(kind)) return Number.isNaN(to);
  if (distance > MAX_CALL_BYTES) return false;
  return distance > 0 || (distance === 0 && kind === CallKind.KernelEntry);
}

export function isSignal(kind: number): boolean {
  return kind >= CallKind.Signal;
}
