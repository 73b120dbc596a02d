/**
 * Parked stacks: stacks of fibers that the thread switched away from and may resume. `swapcontext` "returns" to another
 * stack; later, another `swapcontext` returns to the code after the call that left this one.
 */

import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type Address, NONE } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../functions/traits.js';

/** A stack that was left in one row and resumed in another. */
export interface StackSwitch {
  readonly leftRow: number;
  readonly backRow: number;
  /** Rows of its calls, lowest first; the switch back ends the last one. */
  readonly callRows: readonly number[];
  /** Row of the event that began the stack, or NONE. */
  readonly startRow: number;
}

export interface ResumedStack extends SkippedStack {
  readonly change: StackSwitch;
}

/** Maximum number of parked stacks; beyond it, those left longest ago are dropped. */
const MAX_PARKED = 64;
/**
 * Stacks with more calls are not parked: fibers are not that deep. Stacks that are gone for good can be, and copying
 * them again and again would be slow.
 */
export const MAX_PARKED_CALLS = 512;

interface ParkedStack extends SkippedStack {
  readonly leftRow: number;
}

export class ParkedStacks {
  private readonly parked: ParkedStack[] = [];
  private readonly alike: AlikeStacks;

  constructor(alike: AlikeStacks) {
    this.alike = alike;
  }

  park(stacks: readonly SkippedStack[], leftRow: number): void {
    for (const stack of stacks) if (stack.calls.length <= MAX_PARKED_CALLS) this.parked.push({ ...stack, leftRow });
    if (this.parked.length > MAX_PARKED) this.parked.splice(0, this.parked.length - MAX_PARKED);
  }

  /**
   * Removes and returns the stack whose last call returns to this address. If the event certainly switches stacks, a
   * call further down may match, too: the calls above it ended unseen.
   */
  takeResumed(to: Address, backRow: number, isSwitch: boolean): ResumedStack | null {
    return this.takeAt(to, backRow, 1) ?? (isSwitch ? this.takeAt(to, backRow, MAX_SEARCH_DEPTH) : null);
  }

  /**
   * As `takeResumed`, where the running stack may just as well continue (`own`: its calls, lowest first): it does if it
   * fits better than the stacks parked before it, and then null is returned.
   */
  takeAlike(to: Address, backRow: number, own: () => readonly OpenCall[]): ResumedStack | null {
    const fibers = this.find(to, 1).filter(isFiber);
    if (fibers.length === 0) return null;
    const chosen = fibers[this.chooseAlike([...fibers.map(({ kept }) => kept), own()], backRow)];
    return chosen ? this.take(chosen, backRow) : null;
  }

  /**
   * Removes and returns a stack that was resumed by a hidden switch before the event in `backRow`: its last call is one that
   * switches stacks (`isToSwitcher`), and the return in `returnRow`, to this address, ends the call below it.
   */
  takeHidden(
    to: Address,
    backRow: number,
    returnRow: number,
    isToSwitcher: (callRow: number) => boolean,
  ): ResumedStack | null {
    const found = this.findLeftBy(to, isToSwitcher);
    const chosen = this.choose(found, returnRow);
    return chosen ? this.take({ ...chosen, kept: chosen.parked.calls }, backRow) : null;
  }

  /** True if a stack was left by a call (`isSwitchingCall`) whose caller is the function that continues (`continues`). */
  hasLeftBy(
    to: Address,
    isSwitchingCall: (callRow: number) => boolean,
    continues: (callRow: number) => boolean,
  ): boolean {
    return this.findLeftBy(to, isSwitchingCall).some(({ kept }) => continues((kept.at(-1) as OpenCall).row));
  }

  private findLeftBy(to: Address, isSwitchingCall: (callRow: number) => boolean): Candidate[] {
    return this.find(to, 2).filter(({ parked: { calls }, kept }) => {
      const last = calls.at(-1);
      return last !== undefined && kept.length === calls.length - 1 && isSwitchingCall(last.row);
    });
  }

  /** Searches the uppermost `depth` calls of each stack. */
  private takeAt(to: Address, backRow: number, depth: number): ResumedStack | null {
    const chosen = this.choose(this.find(to, depth), backRow);
    return chosen ? this.take(chosen, backRow) : null;
  }

  private find(to: Address, depth: number): Candidate[] {
    const found: Candidate[] = [];
    this.parked.forEach((parked, index) => {
      const { calls } = parked;
      const top = calls.slice(-depth).findLastIndex((call) => endsAt(call, to));
      if (top !== NONE)
        found.push({ index, parked, kept: calls.slice(0, Math.max(0, calls.length - depth) + top + 1) });
    });
    return found;
  }

  private take({ index, parked, kept }: Candidate, backRow: number): ResumedStack {
    const { leftRow, startRow, stack } = parked;
    this.parked.splice(index, 1);
    const change = { leftRow, backRow, callRows: kept.map(({ row }) => row), startRow };
    return { calls: kept, startRow, stack, change };
  }

  /**
   * Prefers fibers, which take turns. A stack left in another way, as by an exception, rarely continues, and the less
   * likely the longer ago it was left.
   */
  private choose(found: readonly Candidate[], backRow: number): Candidate | undefined {
    const fibers = found.filter(isFiber);
    if (fibers.length === 0) return found.at(-1);
    return fibers.length === 1
      ? fibers[0]
      : fibers[
          this.chooseAlike(
            fibers.map(({ kept }) => kept),
            backRow,
          )
        ];
  }

  /** Chooses among stacks whose last call has just returned. */
  private chooseAlike(stacks: readonly (readonly OpenCall[])[], backRow: number): number {
    return this.alike.choose(
      stacks.map((calls) => calls.slice(0, -1)),
      backRow + 1,
    );
  }
}

function isFiber({ parked }: Candidate): boolean {
  return parked.startRow !== NONE;
}

/** A parked stack that may continue, with those of its calls that would be open then. */
interface Candidate {
  readonly index: number;
  readonly parked: ParkedStack;
  readonly kept: readonly OpenCall[];
}

// Calls, and stacks of calls, as pairing sees them.

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

/** Reads ahead at most this many times the events since the last choice, so that the total cost stays linear. */
const REACH_FACTOR = 8;
const MIN_REACH = 256;

/**
 * Chooses among parked stacks that look alike: the one whose calls the next returns end, from the top downwards. If
 * that does not decide, the one that was switched away from first, as schedulers take turns.
 */
export class AlikeStacks {
  private lastRow = 0;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;

  constructor(events: ThreadEvents, facts: SiteFacts) {
    this.events = events;
    this.facts = facts;
  }

  /**
   * Returns the index of the stack that the event in `row` continues. `stacks`: for each candidate, the calls that
   * would be open then, lowest first; at least two candidates, ordered by when they were left.
   */
  choose(stacks: readonly (readonly OpenCall[])[], row: number): number {
    const { site } = this.events;
    const { step, to } = this.facts;
    const end = Math.min(site.length, row + MIN_REACH + REACH_FACTOR * (row - this.lastRow));
    this.lastRow = row;
    let alike = [...stacks.keys()];
    let above = 0; // calls made since `row`
    let returned = 0;
    for (let at = row; at < end && alike.length > 1 && !this.isSwitch(site[at]); at++) {
      const kind = step[site[at]];
      if (kind === Step.Call || kind === Step.KernelEntry) above++;
      else if (kind === Step.Return && above > 0) above--;
      else if (kind === Step.Return) {
        returned++;
        const left = alike.filter((index) => {
          const call = stacks[index]?.at(-returned);
          return call !== undefined && endsAt(call, to[site[at]]);
        });
        if (left.length === 0) break;
        alike = left;
      } else if (kind === Step.Gap) break;
    }
    return alike[0] as number;
  }

  /** True if the thread switches stacks again here, or calls a function that will. */
  private isSwitch(site: number): boolean {
    const { fromFunction, toFunction, functions } = this.facts;
    const isSwitcher = (fn: number) => fn >= 0 && (functions.traits[fn] & Trait.StackSwitcher) !== 0;
    return isSwitcher(fromFunction[site]) || isSwitcher(toFunction[site]);
  }
}
