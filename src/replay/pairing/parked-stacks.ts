/**
 * Stacks that were left and may be gone back to: fibers. `swapcontext` "returns" to another stack, and later another
 * `swapcontext` returns behind the call that left this one.
 */
import { type Address, NONE } from '../../model/units.js';
import type { AlikeStacks } from './alike-stacks.js';
import { DEEPEST_SEARCH, endsAt, type LeftStack, type OpenCall } from './calls.js';

/** A stack that was left in one row and gone back to in another. */
export interface StackSwitch {
  readonly leftRow: number;
  readonly backRow: number;
  /** Rows of its calls, lowest first; the last one ends with the switch back. */
  readonly callRows: readonly number[];
  /** Row of the event that began the stack, or NONE. */
  readonly startRow: number;
}

export interface TakenBack extends LeftStack {
  readonly change: StackSwitch;
}

/** Fibers beyond this number are forgotten, those left longest first. */
const MOST_PARKED = 64;
/** Nor do fibers lie deeper; a stack that is gone for good may, and to keep it again and again would cost. */
export const DEEPEST_PARKED = 512;

interface Parked extends LeftStack {
  readonly leftRow: number;
}

export class ParkedStacks {
  private readonly parked: Parked[] = [];
  private readonly alike: AlikeStacks;

  constructor(alike: AlikeStacks) {
    this.alike = alike;
  }

  park(stacks: readonly LeftStack[], leftRow: number): void {
    for (const stack of stacks) if (stack.calls.length <= DEEPEST_PARKED) this.parked.push({ ...stack, leftRow });
    if (this.parked.length > MOST_PARKED) this.parked.splice(0, this.parked.length - MOST_PARKED);
  }

  /**
   * Takes out the stack whose last call returns to this address, if there is one; or, if it is sure that another stack
   * goes on, one that has such a call: what was called above it ended unseen.
   */
  takeBack(to: Address, backRow: number, isSure: boolean): TakenBack | null {
    return this.takeAt(to, backRow, 1) ?? (isSure ? this.takeAt(to, backRow, DEEPEST_SEARCH) : null);
  }

  /**
   * The same if the running stack may just as well go on, whose calls these are, lowest first: it is not taken, but goes
   * on if it fits better than those that were left before it.
   */
  takeAlike(to: Address, backRow: number, own: () => readonly OpenCall[]): TakenBack | null {
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
  ): TakenBack | null {
    const found = this.findLeftBy(to, isToSwitcher);
    const chosen = this.choose(found, returnRow);
    return chosen ? this.take({ ...chosen, kept: chosen.parked.calls }, backRow) : null;
  }

  /** Is there a stack that was left so, at a call (`isLeaving`) in the function that goes on (`goesOn`)? */
  hasLeftBy(to: Address, isLeaving: (callRow: number) => boolean, goesOn: (callRow: number) => boolean): boolean {
    return this.findLeftBy(to, isLeaving).some(({ kept }) => goesOn((kept.at(-1) as OpenCall).row));
  }

  private findLeftBy(to: Address, isLeaving: (callRow: number) => boolean): Found[] {
    return this.find(to, 2).filter(({ parked: { calls }, kept }) => {
      const last = calls.at(-1);
      return last !== undefined && kept.length === calls.length - 1 && isLeaving(last.row);
    });
  }

  /** Looks at so many calls of each stack, from its top. */
  private takeAt(to: Address, backRow: number, depth: number): TakenBack | null {
    const chosen = this.choose(this.find(to, depth), backRow);
    return chosen ? this.take(chosen, backRow) : null;
  }

  private find(to: Address, depth: number): Found[] {
    const found: Found[] = [];
    this.parked.forEach((parked, place) => {
      const { calls } = parked;
      const top = calls.slice(-depth).findLastIndex((call) => endsAt(call, to));
      if (top !== NONE)
        found.push({ place, parked, kept: calls.slice(0, Math.max(0, calls.length - depth) + top + 1) });
    });
    return found;
  }

  private take({ place, parked, kept }: Found, backRow: number): TakenBack {
    const { leftRow, startRow, stack } = parked;
    this.parked.splice(place, 1);
    const change = { leftRow, backRow, callRows: kept.map(({ row }) => row), startRow };
    return { calls: kept, startRow, stack, change };
  }

  /** Fibers take turns; what was left otherwise, as by an exception, hardly comes back, and the longer ago the less. */
  private choose(found: readonly Found[], backRow: number): Found | undefined {
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

function isFiber({ parked }: Found): boolean {
  return parked.startRow !== NONE;
}

/** A parked stack that may go on, with those of its calls that are open then. */
interface Found {
  readonly place: number;
  readonly parked: Parked;
  readonly kept: readonly OpenCall[];
}
