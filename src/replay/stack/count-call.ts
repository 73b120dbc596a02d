/**
 * Counts a call that is over, in the call tree, the quality counters and the call log.
 */
import { Inference, type InferenceName, UNWOUND } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { ReplayState } from '../state.js';
import type { Frame } from './frame.js';

const INFERENCE_NAMES = Object.keys(Inference) as InferenceName[];

/** Returns why a call was not seen from start to end; else UNWOUND or NONE. `reason`: how it ended. */
export function endingOf({ inference }: Frame, reason: number): number {
  return inference === NONE ? reason : inference;
}

export function countCall(state: ReplayState, frame: Frame, endNs: Nanoseconds, reason: number): void {
  const ending = endingOf(frame, reason);
  state.watcher?.closed(state.facts.functions.symbol[frame.fn], state.depth + 1, ending);
  if (ending === NONE) state.tree.countComplete(frame.node, endNs - frame.entryNs);
  else if (ending === UNWOUND) state.tree.countUnwound(frame.node, endNs - frame.entryNs);
  else countInferred(state, frame, endNs, ending, reason);
}

function countInferred(
  { tree, log, inferred }: ReplayState,
  frame: Frame,
  endNs: Nanoseconds,
  inference: number,
  reason: number,
): void {
  const knownNs = knownDuration(frame, endNs, reason);
  tree.countInferred(frame.node, knownNs);
  if (knownNs !== endNs - frame.entryNs || endNs !== log?.nowNs) log?.setKnownTime(knownNs);
  inferred[INFERENCE_NAMES[inference] as InferenceName]++;
}

/** Returns the certain part of the duration of a call whose start or end was not seen. */
function knownDuration(
  { inference, knownFromNs, knownUntilNs }: Frame,
  endNs: Nanoseconds,
  reason: number,
): Nanoseconds {
  if (inference === Inference.Unwound || reason === Inference.Unwound) return 0;
  return Math.max(0, Math.min(endNs, knownUntilNs) - knownFromNs);
}
