/**
 * Entries into a traced kernel and exits from it. Its frames are above those of the program, and all of them end where
 * it goes back: to the code that it had interrupted, to a signal handler, or to a new program.
 */
import { type Address, NONE } from '../../model/units.js';
import { SYSCALL_BYTES } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { pairReturn } from './pair-return.js';
import { Action, ActionFlag } from './pairing.js';
import {
  endCall,
  hasTrait,
  pairUnmatchedReturn,
  RUNNING,
  rowOfBranchBefore,
  runUnseen,
  type SegmentState,
  skipCalls,
} from './segment-state.js';
import { CallKind, isSignal, type OpenCall } from './stacks.js';

/** True if the kernel ran right before the record in `row`. */
export function isInKernel(state: SegmentState, row: number): boolean {
  const { events, facts } = state;
  const before = rowOfBranchBefore(state, row);
  return before !== NONE && facts.to[events.siteAt(before)] < 0;
}

/** Pairs an event that leaves an interrupt, or the kernel. */
export function pairKernelExit(state: SegmentState, row: number, site: number): void {
  const { facts, open, events, pairing } = state;
  const to = facts.to[site];
  if (to < 0) return pairInterruptEnd(state, row, site);
  const entry = open.findInterrupt((call) => isEntry(state, call) && facts.from[events.siteAt(call.row)] >= 0);
  if (to === 0) return leaveToUntraced(state, row, entry);
  if (state.isNewProgram) return beginProgram(state, row);
  if (entry === NONE) return pairUnmatchedReturn(state, row);
  const { address } = open.at(entry);
  const afterHandler = state.handlerInterruptedAt;
  const resumes = (at: Address) => at <= to && to <= at + SYSCALL_BYTES;
  if (resumes(address)) return endCall(state, row, entry);
  state.handlerInterruptedAt = Number.NaN;
  if (resumes(afterHandler)) return endCall(state, row, entry);
  const handler = open.findInterrupt((call) => isSignal(call.kind) && resumes(call.address));
  if (handler !== NONE) return endCall(state, row, handler);
  const isHandler = facts.toEntry[site] === 1 || hasTrait(state, facts.toFunction[site], Trait.Unknown);
  if (!isHandler) {
    endCall(state, row, entry);
    pairing.doubtfulRows.add(row);
    return;
  }
  skipCalls(state, row, open.cutAbove(entry - 1));
  pairing.rows.setAction(row, Action.HandlerEntry);
  open.push(row, Number.isNaN(afterHandler) ? address : afterHandler, CallKind.Signal);
}

function isEntry({ facts, events }: SegmentState, { row, kind }: OpenCall): boolean {
  return kind === CallKind.KernelEntry || (isSignal(kind) && facts.to[events.siteAt(row)] < 0);
}

/** Pairs the end of an interrupt in the kernel: only what that entry left is over. */
function pairInterruptEnd(state: SegmentState, row: number, site: number): void {
  const entry = state.open.findInterrupted(state.facts.to[site]);
  if (entry === NONE) pairReturn(state, row, site);
  else endCall(state, row, entry);
}

/** Pairs the way out to a program that is not traced: the trace stops. */
function leaveToUntraced(state: SegmentState, row: number, entry: number): void {
  const { open, pairing } = state;
  skipCalls(state, row, open.cutAbove(Math.max(entry, 0) - 1));
  pairing.rows.setAction(row, Action.LeaveKernel | ActionFlag.Stops);
  state.stoppedAt = 0;
  state.isNewProgram = false;
}

/** Pairs the way out to a program that has replaced the old one, on a stack of its own. */
function beginProgram(state: SegmentState, row: number): void {
  skipCalls(state, row, state.open.cutAbove(NONE));
  state.isNewProgram = false;
  state.handlerInterruptedAt = Number.NaN;
  runUnseen(state, row, Action.NewProgram);
}

/** True if the trace starts because untraced code enters the kernel. */
export function entersKernel(state: SegmentState, row: number, site: number): boolean {
  if (state.stoppedAt !== 0 || !(state.facts.to[site] < 0)) return false;
  state.pairing.rows.setAction(row, Action.KernelStart);
  state.open.push(row, Number.NaN, CallKind.KernelEntry);
  state.hasLossWhileStopped = false;
  state.stoppedAt = RUNNING;
  return true;
}
