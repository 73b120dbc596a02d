/**
 * Stacks that were left and may be gone back to: fibers. `swapcontext` "returns" to another stack, and later another
 * `swapcontext` returns behind the call that left this one.
 */
import { type Address, NONE } from '../../model/units.js';
import type { AlikeStacks } from './alike-stacks.js';
import { endsAt, MAX_SEARCH_DEPTH, type OpenCall, type SkippedStack } from './calls.js';

/** A stack that was left in one row and gone back to in another. */
export interface StackSwitch {
  readonly leftRow: number;
  readonly backRow: number;
  /** Rows of its calls, lowest first; the last one ends with the switch back. */
  readonly callRows: readonly number[];
  /** Row of the event that began the stack, or NONE. */
  readonly startRow: number;
}

export interface ResumedStack extends SkippedStack {
  readonly change: StackSwitch;
}

/** Fibers beyond this number are forgotten, those left longest first. */
const MAX_PARKED = 64;
/** Nor do fibers lie deeper; a stack that is gone for good may, and to keep it again and again would cost. */
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
   * Takes out the stack whose last call returns to this address, if there is one; or, if it is sure that another stack
   * goes on, one that has such a call: what was called above it ended unseen.
   */
  takeResumed(to: Address, backRow: number, isSwitch: boolean): ResumedStack | null {
    return this.takeAt(to, backRow, 1) ?? (isSwitch ? this.takeAt(to, backRow, MAX_SEARCH_DEPTH) : null);
  }

  /**
   * The same if the running stack may just as well go on, whose calls these are, lowest first: it is not taken, but goes
   * on if it fits better than those that were left before it.
   */
  takeAlike(to: Address, backRow: number, own: () => readonly OpenCall[]): ResumedStack | null {
    const fibers = this.find(to, 1).filter(isFiber);
    if (fibers.length === 0) return null;
    const chosen = fibers[this.chooseAlike([...fibers.map(({ kept }) => kept), own()], backRow)];
    return chosen ? this.take(chosen, backRow) : null;
  }

  /**
   * Takes out a stack whose last call was to leave it (`isToSwitcher`), and whose last but one the return in `returnRow` to this
   * address ends: it was gone back to before the event in `backRow`.
   */
  takeUnseen(
    to: Address,
    backRow: number,
    returnRow: number,
    isToSwitcher: (callRow: number) => boolean,
  ): ResumedStack | null {
    const found = this.findLeftBy(to, isToSwitcher);
    const chosen = this.choose(found, returnRow);
    return chosen ? this.take({ ...chosen, kept: chosen.parked.calls }, backRow) : null;
  }

  /** Is there a stack that was left so, at a call (`isLeaving`) in the function that goes on (`goesOn`)? */
  hasLeftBy(to: Address, isLeaving: (callRow: number) => boolean, goesOn: (callRow: number) => boolean): boolean {
    return this.findLeftBy(to, isLeaving).some(({ kept }) => goesOn((kept.at(-1) as OpenCall).row));
  }

  private findLeftBy(to: Address, isLeaving: (callRow: number) => boolean): Candidate[] {
    return this.find(to, 2).filter(({ parked: { calls }, kept }) => {
      const last = calls.at(-1);
      return last !== undefined && kept.length === calls.length - 1 && isLeaving(last.row);
    });
  }

  /** Looks at so many calls of each stack, from its top. */
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

  /** Fibers take turns; what was left otherwise, as by an exception, hardly comes back, and the longer ago the less. */
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

  /** Of stacks whose last call has just returned. */
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

/** A parked stack that may go on, with those of its calls that are open then. */
interface Candidate {
  readonly index: number;
  readonly parked: ParkedStack;
  readonly kept: readonly OpenCall[];
}
