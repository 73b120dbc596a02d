/**
 * The calls, kernel entries and signals that are open while returns are paired: a plain stack that can be searched by
 * address. What a search passes over is mostly popped by it; where it is not, the search has a bound.
 */
import { type Address, NONE } from '../model/units.js';
import { Step, SYSCALL_BYTES } from './site-facts.js';
import { LONGEST_CALL_BYTES } from './traits.js';

export interface OpenCall {
  readonly row: number;
  readonly step: Step;
  /** The call instruction; NaN for a signal. */
  readonly from: Address;
  /** What a signal or the kernel interrupted goes on here; NaN for a call. */
  readonly interrupted: Address;
  /** It was entered from code that is not traced, with nothing traced below it. */
  readonly isFromOutside?: boolean;
}

/** A stack of the thread that was gone to, and had not been seen before. */
export interface OtherStack {
  /** Rows of the returns that leave what was running on it then. */
  readonly leavingRows: number[];
}

/** The event in `row` went to another stack: calls from `place` upwards stand there. */
export interface Switch {
  readonly place: number;
  readonly row: number;
  /** null: perhaps it was only a jump. */
  readonly stack: OtherStack | null;
}

/** Calls of one stack that were left without a return. */
export interface LeftStack {
  readonly calls: readonly OpenCall[]; // lowest first
  /** Row of the event that went to this stack, if it was seen; else NONE. */
  readonly startRow: number;
  readonly stack: OtherStack | null;
}

/** More signals and interrupts than this do not nest, nor do returns into function entries lie deeper. */
export const DEEPEST_SEARCH = 64;

export class OpenCalls {
  private readonly calls: OpenCall[] = [];
  /** Places of signals and kernel entries. */
  private readonly interrupts: number[] = [];
  private readonly switches: Switch[] = [];

  get length(): number {
    return this.calls.length;
  }

  /** Nothing stands above the call at this place, not even another stack. */
  isTop(place: number): boolean {
    const { switches, calls } = this;
    return place === calls.length - 1 && (switches.length === 0 || (switches.at(-1) as Switch).place <= place);
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

  /** What is pushed from now on stands on another stack. */
  switchStack(change: Omit<Switch, 'place'>): void {
    this.switches.push({ ...change, place: this.calls.length });
  }

  /** The newest switch of which this is true, counted from 0, or NONE. */
  findSwitch(isMeant: (change: Switch) => boolean): number {
    return this.switches.findLastIndex(isMeant);
  }

  /** The n-th switch. */
  switchAt(index: number): Switch {
    return this.switches[index] as Switch;
  }

  /** The running stack was gone to, and what ran on it first runs again: `makecontext` lets it return to an entry. */
  isAtBase(): boolean {
    const current = this.switches.at(-1);
    return current !== undefined && current.stack !== null && current.place === this.calls.length;
  }

  /** The call that the running stack's top frame was called by; null if that was not seen. */
  topOfStack(): OpenCall | null {
    const lowest = this.switches.length === 0 ? 0 : (this.switches.at(-1) as Switch).place;
    return this.calls.length > lowest ? this.at(this.calls.length - 1) : null;
  }

  /**
   * Removes everything above a place. It was left without a return, and is given back, each stack by itself, the lowest
   * first: perhaps it only waits.
   */
  cutAbove(place: number): LeftStack[] {
    return this.cut(
      place + 1,
      this.switches.findLastIndex((change) => change.place <= place),
    );
  }

  /** Removes every call on the stack of the n-th switch, and on those above; NONE: all there are. */
  cutStack(index: number): LeftStack[] {
    return this.cut(index === NONE ? 0 : this.switchAt(index).place, index);
  }

  /** Takes away the stack of the n-th switch, and those above. */
  takeStack(index: number): LeftStack[] {
    return this.cut(this.switchAt(index).place, index - 1);
  }

  /** Ends the call on top. */
  pop(): void {
    this.calls.pop();
    this.forgetInterrupts();
  }

  /** The place of the call that a return to this address ends, or NONE. */
  findCaller(to: Address, isNear: boolean): number {
    const lowest = isNear ? Math.max(0, this.calls.length - DEEPEST_SEARCH) : 0;
    for (let place = this.calls.length - 1; place >= lowest; place--) if (endsAt(this.at(place), to)) return place;
    return NONE;
  }

  /** The place of the nearest call on this stack of which something is true, or NONE; far ones are not looked at. */
  findNear(isMeant: (call: OpenCall) => boolean): number {
    const lowest = Math.max(this.switches.at(-1)?.place ?? 0, this.calls.length - DEEPEST_SEARCH);
    for (let place = this.calls.length - 1; place >= lowest; place--) if (isMeant(this.at(place))) return place;
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

  /** Keeps so many calls, and the switches up to the n-th. */
  private cut(length: number, keptSwitch: number): LeftStack[] {
    const left: LeftStack[] = [];
    while (this.switches.length - 1 > keptSwitch) {
      const { place, row, stack } = this.switches.pop() as Switch;
      left.unshift({ calls: this.calls.splice(place), startRow: row, stack });
    }
    left.unshift({ calls: this.calls.splice(length), startRow: NONE, stack: null });
    this.forgetInterrupts();
    return left.filter(({ calls }) => calls.length > 0);
  }

  private forgetInterrupts(): void {
    while ((this.interrupts.at(-1) ?? NONE) >= this.calls.length) this.interrupts.pop();
  }
}

/** Does a return to this address end the call? A kernel entry may return to the very instruction. */
export function endsAt({ from, step }: OpenCall, to: Address): boolean {
  const distance = to - from; // NaN for a signal
  return distance <= LONGEST_CALL_BYTES && (distance > 0 || (distance === 0 && step === Step.KernelEntry));
}
