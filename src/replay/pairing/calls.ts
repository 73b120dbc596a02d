/**
 * Calls, and stacks of calls, as pairing sees them.
 */
import type { Address } from '../../model/units.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';

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

/** A stack that the thread switched to and that had not been seen before. */
export interface OtherStack {
  /** Rows of the returns from levels that were already open when the stack was first seen. */
  readonly unmatchedRows: number[];
}

/** A switch of stacks by the event in `row`: open calls from index `base` on belong to the new stack. */
export interface StackEntry {
  readonly base: number;
  readonly row: number;
  /** null: it may have been only a jump. */
  readonly stack: OtherStack | null;
}

/**
 * Calls of one stack that an event skipped: they are removed without a return of their own. Either an exception or
 * longjmp ended them, or their stack is parked.
 */
export interface SkippedStack {
  readonly calls: readonly OpenCall[]; // lowest first
  /** Row of the event that switched to this stack, if that was seen; else NONE. */
  readonly startRow: number;
  readonly stack: OtherStack | null;
}

/** Deepest level that searches examine for nested signals and interrupts, and for returns into function entries. */
export const MAX_SEARCH_DEPTH = 64;

/** True if a return to this address ends the call. */
export function endsAt({ address, kind }: OpenCall, to: Address): boolean {
  return isEndOf(address, kind, to);
}

/** A kernel entry may return to the very same instruction; the end of a signal is not a return. */
export function isEndOf(address: Address, kind: number, to: Address): boolean {
  const distance = to - address;
  if (isSignal(kind) || distance > MAX_CALL_BYTES) return false;
  return distance > 0 || (distance === 0 && kind === CallKind.KernelEntry);
}

export function isSignal(kind: number): boolean {
  return kind >= CallKind.Signal;
}
