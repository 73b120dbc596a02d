/**
 * A thread's time is charged up to now: to the frame on top, or to what the thread waits in.
 */
import { type Nanoseconds, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { chargeTo, topFrame, topNode, topTraits } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';

/** Time is charged from here on. */
export function startAt(state: ReplayState, timeNs: Nanoseconds): void {
  state.nowNs = timeNs;
  state.log?.begin(timeNs);
}

/** Up to here somebody else has charged it. */
export function setNow(state: ReplayState, timeNs: Nanoseconds): void {
  state.nowNs = timeNs;
  if (state.log) state.log.nowNs = timeNs;
}

/** Meanwhile control has moved from one function to another, and nobody knows when. */
export function chargeHiddenMove(state: ReplayState, timeNs: Nanoseconds): void {
  state.certainty.setMovedUnseen(true);
  chargeUntil(state, timeNs);
  state.certainty.setMovedUnseen(false);
}

export function chargeUntil(state: ReplayState, timeNs: Nanoseconds): void {
  const ns = timeNs - state.nowNs;
  setNow(state, timeNs);
  const node = stoppedNode(state);
  if (node !== NONE) chargeTo(state, node, ns);
  else if (state.depth > 0 && topTraits(state) & Trait.Stub) topFrame(state).heldNs += ns;
  else chargeTo(state, topNode(state), ns);
}

/** The node that time goes to while the thread is stopped or off its processor; NONE while traced code runs. */
export function stoppedNode({ offCpu, stop }: ReplayState): number {
  return offCpu?.node ?? stop?.node ?? NONE;
}
