/**
 * Stacks that were left and may be gone back to: fibers. `swapcontext` "returns" to another stack, and later another
 * `swapcontext` returns behind the call that left this one.
 */
import { type Address, NONE } from '../model/units.js';
import { LONGEST_CALL_BYTES } from './functions.js';
import type { LeftStack, OpenCall } from './open-calls.js';

/** A stack that was left in one row and gone back to in another. */
export interface StackSwitch {
  readonly leftRow: number;
  readonly backRow: number;
  /** Rows of its calls, lowest first; the last one is the call that left it, and ends with the switch back. */
  readonly callRows: readonly number[];
  /** Row of the event that began the stack, or NONE. */
  readonly startRow: number;
}

/** Fibers beyond this number are forgotten, those left longest first. */
const MOST_PARKED = 64;

interface Parked extends LeftStack {
  readonly leftRow: number;
}

export class ParkedStacks {
  private readonly parked: Parked[] = [];

  park(stacks: readonly LeftStack[], leftRow: number): void {
    for (const stack of stacks) this.parked.push({ ...stack, leftRow });
    if (this.parked.length > MOST_PARKED) this.parked.splice(0, this.parked.length - MOST_PARKED);
  }

  /** Takes out the stack whose last call returns to this address, if there is one. */
  takeBack(to: Address, backRow: number): { calls: readonly OpenCall[]; change: StackSwitch } | null {
    const place = this.parked.findLastIndex(({ calls }) => isBehind(to, calls.at(-1) as OpenCall));
    if (place === NONE) return null;
    const [{ calls, leftRow, startRow }] = this.parked.splice(place, 1) as [Parked];
    return { calls, change: { leftRow, backRow, callRows: calls.map(({ row }) => row), startRow } };
  }
}

function isBehind(to: Address, { from }: OpenCall): boolean {
  return from < to && to <= from + LONGEST_CALL_BYTES;
}
