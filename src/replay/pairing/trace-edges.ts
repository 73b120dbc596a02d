/**
 * Pairs the events at which the trace stops and starts: after a system call, at the end of a signal or of a kernel
 * entry, or in a signal handler.
 */
import { type Address, NONE } from '../../model/units.js';
import { Step, SYSCALL_BYTES } from '../functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../functions/traits.js';
import { Action, ActionFlag } from './actions.js';
import { CallKind } from './calls.js';
import { endCall, pairUnmatchedReturn } from './end-calls.js';
import { pairEntryFromOutside } from './fibers/switch-stacks.js';
import { hasTrait, RUNNING, type SegmentState } from './segment-state.js';

/** Pairs an event after which the trace stops, and notes where it may continue. */
export function pairStop(state: SegmentState, row: number, site: number, step: Step): void {
  const { action } = state.pairing;
  const from = state.facts.from[site];
  const to = state.facts.to[site];
  state.stoppedAt = from;
  state.stoppedInCall = step === Step.EndCall && to !== 0;
  state.isOutside = false;
  state.resumeReach = step === Step.EndCall ? MAX_CALL_BYTES : SYSCALL_BYTES;
  if (state.stoppedInCall) {
    state.open.push(row, from, CallKind.Call);
    action[row] = Action.Call;
  } else if (step === Step.EndReturn) pairReturnOut(state, row, to);
  action[row] |= step === Step.EndSyscall ? ActionFlag.StopsInSyscall : ActionFlag.Stops;
}

/** Pairs a return out of traced code; with address filters every call ends so. The target may be unknown. */
function pairReturnOut(state: SegmentState, row: number, to: Address): void {
  const { open } = state;
  if (to === 0) return pairReturnToUnknown(state, row);
  const caller = open.findCaller(to, false);
  const landing = caller === NONE ? open.findInterrupted(to) : caller;
  const entryRow = entryFromOutside(state);
  if (landing !== NONE) endCall(state, row, landing);
  else if (entryRow !== NONE) pairEntryFromOutside(state, entryRow, row);
  else pairUnmatchedReturn(state, row);
  state.isOutside = open.length === 0;
  state.stoppedAt = to;
}

/**
 * Pairs a return out of traced code with the call on top: the target is unknown, so the trace may continue after that
 * call.
 */
function pairReturnToUnknown(state: SegmentState, row: number): void {
  const top = state.open.length - 1;
  if (top === NONE) return;
  const { address, kind } = state.open.at(top);
  state.stoppedAt = kind >= CallKind.Signal ? RUNNING : address;
  state.resumeReach = MAX_CALL_BYTES;
  endCall(state, row, top);
}

/** Returns the row in which the lowest open function was entered from untraced code, or NONE. */
function entryFromOutside({ open }: SegmentState): number {
  const lowest = open.length > 0 ? open.at(0) : null;
  return lowest?.kind === CallKind.SignalFromOutside ? lowest.row : NONE;
}

/** Pairs a trace start. False if it does not follow from where the trace had stopped. */
export function pairStart(state: SegmentState, row: number, site: number): boolean {
  const { to, toEntry, leavesGuest } = state.facts;
  const isResumed = resumesAt(state, row, to[site]) || (leavesGuest[site] === 1 && resume(state, row));
  if (!isResumed && !returnsToInterrupted(state, row, to[site]) && !entersSignal(state, row, site, toEntry[site] === 1))
    return false;
  state.hasLossWhileStopped = false;
  state.stoppedAt = RUNNING;
  return true;
}

/**
 * True if the trace starts where it had stopped or, after a signal handler has returned, where the interrupted code
 * continues. If it had stopped at a call into untraced code, that call is over.
 */
function resumesAt(state: SegmentState, row: number, to: Address): boolean {
  const isAt = (at: Address, reach: number) => at <= to && to <= at + reach;
  const isWhereStopped = isAt(state.stoppedAt, state.resumeReach);
  if (!isWhereStopped && !isAt(state.interruptedAt, SYSCALL_BYTES)) return false;
  if (!isWhereStopped) state.interruptedAt = Number.NaN;
  resume(state, row);
  if (isWhereStopped && state.stoppedInCall) endCall(state, row, state.open.length - 1, Action.StartAfterReturn);
  return true;
}

function resume({ pairing }: SegmentState, row: number): boolean {
  pairing.action[row] = Action.Resume;
  return true;
}

/** Pairs the end of a signal or kernel entry: the trace starts in what it had interrupted. */
function returnsToInterrupted(state: SegmentState, row: number, to: Address): boolean {
  const interrupted = state.open.findInterrupted(to);
  if (interrupted !== NONE) endCall(state, row, interrupted, Action.StartAfterReturn);
  return interrupted !== NONE;
}

/**
 * True if the trace starts in a signal handler: at a function entry, although it had stopped elsewhere. Unless trace
 * data was lost meanwhile, or a program begins there.
 */
function entersSignal(state: SegmentState, row: number, site: number, toEntry: boolean): boolean {
  if (Number.isNaN(state.stoppedAt) || !toEntry || state.hasLossWhileStopped) return false;
  if (hasTrait(state, state.facts.toFunction[site], Trait.ProgramStart)) return false;
  const interrupted = Number.isNaN(state.interruptedAt) ? state.stoppedAt : state.interruptedAt;
  state.pairing.action[row] = Action.SignalEntry;
  state.interruptedAt = Number.NaN;
  state.open.push(row, interrupted, state.isOutside ? CallKind.SignalFromOutside : CallKind.Signal);
  return true;
}
