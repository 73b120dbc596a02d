/**
 * Calls, and stacks of calls, as pairing knows them.
 */
import type { Address } from '../../model/units.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';

/** What a call is ended by: a return behind it; a return to it or behind it; the end of the signal. */
export const CallKind = { Call: 0, KernelEntry: 1, Signal: 2, SignalFromOutside: 3 } as const;
export type CallKind = (typeof CallKind)[keyof typeof CallKind];

export interface OpenCall {
  readonly row: number;
  /** The call instruction; of a signal and a kernel entry: what they interrupted goes on here. */
  readonly address: Address;
  /** From outside: from code that is not traced, with nothing traced below it. */
  readonly kind: CallKind;
}

/** A stack of the thread that was gone to, and had not been seen before. */
export interface OtherStack {
  /** Rows of the returns that leave what was running on it then. */
  readonly unmatchedRows: number[];
}

/** The event in `row` went to another stack: calls from `index` upwards stand there. */
export interface StackEntry {
  readonly base: number;
  readonly row: number;
  /** null: perhaps it was only a jump. */
  readonly stack: OtherStack | null;
}

/** Calls of one stack that were left without a return. */
export interface SkippedStack {
  readonly calls: readonly OpenCall[]; // lowest first
  /** Row of the event that went to this stack, if it was seen; else NONE. */
  readonly startRow: number;
  readonly stack: OtherStack | null;
}

/** More signals and interrupts than this do not nest, nor do returns into function entries lie deeper. */
export const MAX_SEARCH_DEPTH = 64;

/** Does a return to this address end the call? */
export function endsAt({ address, kind }: OpenCall, to: Address): boolean {
  return isEndOf(address, kind, to);
}

/** A kernel entry may return to the very instruction; a signal's end is no return. */
export function isEndOf(address: Address, kind: number, to: Address): boolean {
  const distance = to - address;
  if (isSignal(kind) || distance > MAX_CALL_BYTES) return false;
  return distance > 0 || (distance === 0 && kind === CallKind.KernelEntry);
}

export function isSignal(kind: number): boolean {
  return kind >= CallKind.Signal;
}
