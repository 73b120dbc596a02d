/**
 * Charges a thread's time up to now: to the frame on top, or to the stop that the thread is in.
 */
import { type Nanoseconds, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { chargeTo, topFrame, topNode, topTraits } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';

/** Starts charging time at this moment. */
export function startAt(state: ReplayState, timeNs: Nanoseconds): void {
  state.nowNs = timeNs;
  state.log?.begin(timeNs);
}

/** Skips to a time up to which the caller has charged. */
export function setNow(state: ReplayState, timeNs: Nanoseconds): void {
  state.nowNs = timeNs;
  if (state.log) state.log.nowNs = timeNs;
}

/** Charges an interval in which control moved from one function to another at an unknown moment. */
export function chargeHiddenMove(state: ReplayState, timeNs: Nanoseconds): void {
  state.certainty.setHiddenMove(true);
  chargeUntil(state, timeNs);
  state.certainty.setHiddenMove(false);
}

/** Charges the time from the last event until now. In a stub it is held back until it is known where the stub leads. */
export function chargeUntil(state: ReplayState, timeNs: Nanoseconds): void {
  const ns = timeNs - state.nowNs;
  setNow(state, timeNs);
  const node = stoppedNode(state);
  if (node !== NONE) chargeTo(state, node, ns);
  else if (state.depth > 0 && topTraits(state) & Trait.Stub) topFrame(state).heldNs += ns;
  else chargeTo(state, topNode(state), ns);
}

/** Returns the node that time is charged to while the thread is stopped or off its CPU; NONE while traced code runs. */
export function stoppedNode({ offCpu, stop }: ReplayState): number {
  return offCpu?.node ?? stop?.node ?? NONE;
}
