/**
 * Frames of parked stacks, and where the stacks begin that the thread switched to.
 */
import type { StackSwitch } from '../pairing/fibers/parked-stacks.js';
import type { Frame } from './frame.js';

export interface ParkedFrames {
  /** Stacks that will be resumed, by the row of the event that leaves them. */
  readonly switchesByRow: ReadonlyMap<number, readonly StackSwitch[]>;
  /** Their frames while they are parked, lowest first. */
  readonly kept: Map<StackSwitch, Frame[]>;
  /** Index of the first frame of a stack, by the row of the event that switched to it. */
  readonly starts: Map<number, number>;
}

/** Groups the stack switches by the row in which their stack is left. */
export function parkedFrames(switches: readonly StackSwitch[]): ParkedFrames {
  const switchesByRow = new Map<number, StackSwitch[]>();
  for (const change of switches) {
    const others = switchesByRow.get(change.leftRow);
    if (others) others.push(change);
    else switchesByRow.set(change.leftRow, [change]);
  }
  return { switchesByRow, kept: new Map(), starts: new Map() };
}
