/**
 * Stacks that were left and may be gone back to: fibers. `swapcontext` "returns" to another stack, and later another
 * `swapcontext` returns behind the call that left this one.
 */
import { type Address, NONE } from '../model/units.js';
import { DEEPEST_SEARCH, endsAt, type LeftStack } from './open-calls.js';

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
const DEEPEST_PARKED = 512;

interface Parked extends LeftStack {
  readonly leftRow: number;
}

export class ParkedStacks {
  private readonly parked: Parked[] = [];

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

  /** Looks at so many calls of each stack, from its top. */
  private takeAt(to: Address, backRow: number, depth: number): TakenBack | null {
    for (let place = this.parked.length - 1; place >= 0; place--) {
      const { calls, leftRow, startRow, stack } = this.parked[place] as Parked;
      const top = calls.slice(-depth).findLastIndex((call) => endsAt(call, to));
      if (top === NONE) continue;
      this.parked.splice(place, 1);
      const kept = calls.slice(0, Math.max(0, calls.length - depth) + top + 1);
      const change = { leftRow, backRow, callRows: kept.map(({ row }) => row), startRow };
      return { calls: kept, startRow, stack, change };
    }
    return null;
  }
}
