/**
 * Frames of stacks that were left, and where the stacks begin that were gone to.
 */
import type { StackSwitch } from '../pairing/parked-stacks.js';
import type { Frame } from './frame.js';

export interface ParkedFrames {
  /** By the row of the event that leaves them: stacks that will go on. */
  readonly switchesByRow: ReadonlyMap<number, readonly StackSwitch[]>;
  /** What is kept of them meanwhile, lowest first. */
  readonly kept: Map<StackSwitch, Frame[]>;
  /** Where the frames of a stack begin, by the row of the event that went there. */
  readonly starts: Map<number, number>;
}

export function parkedFrames(switches: readonly StackSwitch[]): ParkedFrames {
  const switchesByRow = new Map<number, StackSwitch[]>();
  for (const change of switches) {
    const others = switchesByRow.get(change.leftRow);
    if (others) others.push(change);
    else switchesByRow.set(change.leftRow, [change]);
  }
  return { switchesByRow, kept: new Map(), starts: new Map() };
}
