/**
 * The calls, kernel entries and signals that are open while returns are paired: a plain stack that can be searched by
 * address. What a search passes over is mostly popped by it; where it is not, the search has a bound.
 */
import { type Address, NONE } from '../model/units.js';
import { LONGEST_CALL_BYTES } from './functions.js';
import { Step, SYSCALL_BYTES } from './site-facts.js';

export interface OpenCall {
  readonly row: number;
  readonly step: Step;
  /** The call instruction; NaN for a signal. */
  readonly from: Address;
  /** What a signal or the kernel interrupted goes on here; NaN for a call. */
  readonly interrupted: Address;
}

interface Switch {
  readonly place: number;
  readonly row: number;
}

/** Calls of one stack that were left without a return. */
export interface LeftStack {
  readonly calls: readonly OpenCall[]; // lowest first
  /** Row of the event that went to this stack, if it was seen to begin; else NONE. */
  readonly startRow: number;
}

/** More signals and interrupts than this do not nest, nor do returns into function entries lie deeper. */
const DEEPEST_SEARCH = 64;

export class OpenCalls {
  private readonly calls: OpenCall[] = [];
  /** Places of signals and kernel entries. */
  private readonly interrupts: number[] = [];
  private readonly switches: Switch[] = [];

  get length(): number {
    return this.calls.length;
  }

  at(place: number): OpenCall {
    return this.calls[place] as OpenCall;
  }

  rows(): number[] {
    return this.calls.map(({ row }) => row);
  }

  push(call: OpenCall): void {
    if (!Number.isNaN(call.interrupted)) this.interrupts.push(this.calls.length);
    this.calls.push(call);
  }

  /** What is pushed from now on stands on another stack: the event in `row` went there. */
  switchStack(row: number): void {
    this.switches.push({ place: this.calls.length, row });
  }

  /**
   * Removes everything from a place upwards; NONE: all, and nothing was returned from. What lies above the call at the place was left without a return; it is
   * given back, each stack by itself, the lowest first: perhaps it only waits.
   */
  cut(place: number, onEnd: (call: OpenCall) => void): LeftStack[] {
    const left: LeftStack[] = [];
    while ((this.switches.at(-1)?.place ?? NONE) > place) {
      const { place: start, row } = this.switches.pop() as Switch;
      left.unshift({ calls: this.calls.splice(start), startRow: row });
    }
    const above = this.calls.splice(place + 1);
    if (above.length > 0) left.unshift({ calls: above, startRow: NONE });
    for (const { calls } of left) calls.forEach(onEnd);
    if (place !== NONE) this.calls.splice(place).forEach(onEnd);
    while (this.interrupts.length > 0 && (this.interrupts.at(-1) as number) >= place) this.interrupts.pop();
    return left.filter(({ calls }) => calls.length > 0);
  }

  /** The place of the call that a return to this address ends, or NONE. */
  findCaller(to: Address, toEntry: boolean): number {
    const lowest = toEntry ? Math.max(0, this.calls.length - DEEPEST_SEARCH) : 0;
    for (let place = this.calls.length - 1; place >= lowest; place--) {
      const { from, step } = this.at(place);
      const distance = to - from; // NaN for a signal
      if (distance <= LONGEST_CALL_BYTES && (distance > 0 || (distance === 0 && step === Step.KernelEntry)))
        return place;
    }
    return NONE;
  }

  /** The place of the signal or kernel entry that interrupted what goes on at this address, or NONE. */
  findInterrupted(to: Address): number {
    for (const place of this.interrupts.slice(-DEEPEST_SEARCH).reverse()) {
      const { interrupted } = this.at(place);
      if (interrupted <= to && to <= interrupted + SYSCALL_BYTES) return place;
    }
    return NONE;
  }

  /** The place of the innermost signal, or NONE. */
  innermostSignal(): number {
    const place = this.interrupts.at(-1) ?? NONE;
    return place !== NONE && this.at(place).step === Step.Start ? place : NONE;
  }
}
