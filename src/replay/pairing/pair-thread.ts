/**
 * Pairs each return with its call before replay, as brackets are matched, by addresses alone.
 *
 * Decides for each event what it does to the stack (`pairing.ts`), for each call which event ends it, and for each
 * return where it lands. It also finds the returns without a matching call in the segment: their targets are callers
 * that were entered before the segment began. So replay never has to look ahead. The cost is linear: searches in the open
 * calls have a bound or an index.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { isStartOfProgram, type SiteFacts, Step, SYSCALL_BYTES } from '../functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../functions/traits.js';
import type { ReplayModule } from '../replay-module.js';
import { CALL_BYTES, HEAD_DEPTH, HEAD_LOWEST, HEAD_STACK_LIMIT, HEAD_STOP, STOP_FULL } from '../wasm/layout.js';
import { entersKernel, isInKernel, pairKernelExit } from './kernel.js';
import type { OpenCalls } from './open-calls.js';
import { pairJump, pairReturn } from './pair-return.js';
import {
  Action,
  ActionFlag,
  OwnPairingMemory,
  type PairedRows,
  type Pairing,
  type PairingMemory,
  type Segment,
  SkippedCalls,
} from './pairing.js';
import {
  endCall,
  hasTrait,
  newSegmentState,
  pairEntryFromOutside,
  pairUnmatchedReturn,
  RUNNING,
  type SegmentState,
} from './segment-state.js';
import { CallKind, ParkedStacks } from './stacks.js';
import { callsOnSystemStack, followHidden, followLongJump, goToSystemStack, landingsOf, noteCall } from './switches.js';

/**
 * Pairs a thread's returns with its calls. Stops where a function turns out to switch stacks (`Pairing.switcher`): what
 * follows runs on another stack than it seems to.
 */
export function pairThread(
  events: ThreadEvents,
  facts: SiteFacts,
  memory: PairingMemory = new OwnPairingMemory(),
): Pairing {
  const pairing: Pairing = {
    rows: memory.take(events),
    segments: [],
    skipped: new SkippedCalls(),
    skippedByReturn: new Map(),
    switches: [],
    stacks: [],
    hiddenSwitches: new Map(),
    callsOnOther: new Map(),
    doubtfulRows: new Set(),
    splits: new Map(),
    aborts: [],
    switcher: null,
  };
  const { segments, rows, hiddenSwitches } = pairing;
  const walk = { events, facts, pairing, unwinderRowsRead: 0 };
  let row = 0;
  let parked = new ParkedStacks();
  while (row < events.length && pairing.switcher === null) {
    const step = facts.step[events.siteAt(row)];
    if (step === Step.Exec || isStartOfProgram(facts, events.siteAt(row))) parked = new ParkedStacks();
    if (step < Step.Gap) {
      const segment = pairSegment(newSegmentState(walk, memory, row, parked), row);
      segments.push(segment);
      row = segment.endRow;
    } else rows.setAction(row++, actionOfRecord(step));
  }
  for (const switchRow of hiddenSwitches.keys()) rows.addFlag(switchRow, ActionFlag.HiddenSwitch);
  return pairing;
}

function actionOfRecord(step: number): number {
  return step - Step.Gap + Action.Gap;
}

function pairSegment(state: SegmentState, firstRow: number): Segment {
  const { events, pairing, open } = state;
  let row = pairWhileSimple(state, firstRow);
  while (row < events.length && pairing.switcher === null && pairEvent(state, row))
    row = pairWhileSimple(state, row + 1);
  const { first, running, stoppedAt } = state;
  return { firstRow, endRow: row, first, last: running, openRows: open.allRows(), stoppedAt };
}

/** Has the module pair simple events, if there is one, and returns the first row that is not simple. */
function pairWhileSimple(state: SegmentState, firstRow: number): number {
  const { events, facts, open, module, pairing } = state;
  if (module === null || facts.hasAborts || pairing.switcher !== null) return firstRow;
  if (!Number.isNaN(state.stoppedAt) || state.switcherRow !== NONE || state.longJumpRow !== NONE) return firstRow;
  const row = pairInModule(open, events, pairing.rows, module, firstRow);
  if (row > firstRow) {
    state.hasBegun = true;
    state.interruptedAt = Number.NaN;
  }
  return row;
}

/**
 * Pairs one event. False if it does not follow from the events before it: trace data is missing, or a new program
 * begins.
 */
function pairEvent(state: SegmentState, row: number): boolean {
  const { facts, events, pairing } = state;
  const site = events.siteAt(row);
  const step = facts.step[site] as Step;
  const isStopped = !Number.isNaN(state.stoppedAt);
  if (step >= Step.Gap) {
    if (step === Step.Exec && isInKernel(state, row)) state.isNewProgram = true;
    else if (step === Step.Exec || (step === Step.Gap && !isStopped)) return false;
    if (step === Step.Gap) state.hasLossWhileStopped = true;
    pairing.rows.setAction(row, actionOfRecord(step));
    return true;
  }
  if (step !== Step.Start) {
    if (isStopped) return false;
    if (state.switcherRow !== NONE) followHidden(state, row, site);
    if (state.longJumpRow !== NONE) followLongJump(state, row, site);
    pairBranch(state, row, site, step);
  } else if (!state.hasBegun) pairing.rows.setAction(row, Action.Start);
  else if (!pairStart(state, row, site)) return false;
  state.hasBegun = true;
  return true;
}

function pairBranch(state: SegmentState, row: number, site: number, step: Step): void {
  const { rows } = state.pairing;
  if (step < Step.End) state.interruptedAt = Number.NaN;
  else return pairStop(state, row, site, step);
  switch (step) {
    case Step.Call:
    case Step.KernelEntry:
      rows.setAction(row, Action.Call);
      if (callsOnSystemStack(state, site)) goToSystemStack(state, row);
      state.open.push(row, state.facts.from[site], step === Step.Call ? CallKind.Call : CallKind.KernelEntry);
      return noteCall(state, row);
    case Step.Return:
      return pairReturn(state, row, site);
    case Step.KernelExit:
      return pairKernelExit(state, row, site);
    case Step.Jump:
      rows.setAction(row, Action.Jump);
      return pairJump(state, row, site);
  }
}

/**
 * Has the module pair calls and returns as long as nothing else happens, which is nearly always: each return ends the
 * call on top, with no other stack, signal or kernel entry above it. Has the same effect as `pairEvent`.
 *
 * Pairs rows until one needs the general rules, and returns that row.
 */
function pairInModule(
  open: OpenCalls,
  events: ThreadEvents,
  rows: PairedRows,
  module: ReplayModule,
  firstRow: number,
): number {
  const { head, calls } = module;
  head.set(HEAD_DEPTH, open.length);
  head.set(HEAD_LOWEST, open.firstSimple);
  for (let row = firstRow; ; ) {
    rows.pages.slotToChange(row);
    const end = module.loadSites(events, row, rows.pages);
    head.set(HEAD_STACK_LIMIT, Math.floor(module.memory.stack.ints.byteLength / CALL_BYTES));
    const stoppedAt = calls.pair(row, end);
    open.length = head.get(HEAD_DEPTH);
    if (head.get(HEAD_STOP) === STOP_FULL) module.memory.stack.grow();
    else if (stoppedAt < end || stoppedAt === events.length) return stoppedAt;
    row = stoppedAt;
  }
}

/**
 * Pairs the events at which the trace stops and starts: after a system call, at the end of a signal or of a module
 * entry, or in a signal handler.
 *
 * Pairs an event after which the trace stops, and notes where it may continue.
 */
function pairStop(state: SegmentState, row: number, site: number, step: Step): void {
  const { rows } = state.pairing;
  const from = state.facts.from[site];
  const to = state.facts.to[site];
  state.stoppedAt = from;
  state.stoppedInCall = step === Step.EndCall && to !== 0;
  const isInSyscall = step === Step.EndSyscall || (step === Step.EndCall && state.facts.syscalls.has(from)); // one with a name
  state.isOutside = false;
  state.resumeReach = step === Step.EndCall ? MAX_CALL_BYTES : SYSCALL_BYTES;
  if (state.stoppedInCall) {
    state.open.push(row, from, CallKind.Call);
    rows.setAction(row, Action.Call);
  } else if (step === Step.EndReturn) pairReturnOut(state, row, to);
  rows.addFlag(row, isInSyscall ? ActionFlag.StopsInSyscall : ActionFlag.Stops);
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
function pairStart(state: SegmentState, row: number, site: number): boolean {
  const { to, toEntry, leavesGuest } = state.facts;
  if (entersKernel(state, row, site)) return true;
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
  pairing.rows.setAction(row, Action.Resume);
  return true;
}

/** Pairs the end of a signal or kernel entry: the trace starts in what it had interrupted. */
function returnsToInterrupted(state: SegmentState, row: number, to: Address): boolean {
  const interrupted = state.open.findInterrupted(to);
  if (interrupted !== NONE) endCall(state, row, interrupted, Action.StartAfterReturn);
  return interrupted !== NONE;
}

/** True if the trace starts in nameless code where it never stops: so it does not go on there, and a function begins. */
function mayBeginNameless({ facts }: SegmentState, site: number): boolean {
  const fn = facts.toFunction[site];
  if (fn === NONE || !(facts.functions.traits[fn] & Trait.Unknown)) return false;
  const { stops } = landingsOf(facts);
  return !stops.has(facts.to[site]) && !stops.has(facts.to[site] - SYSCALL_BYTES);
}

/** True if the function only ever returns behind calls to it: it handles no signal. */
function isOnlyCalled({ facts }: SegmentState, fn: FunctionId): boolean {
  const { ownReturns, otherReturns } = landingsOf(facts);
  return ownReturns.has(fn) && !otherReturns.has(fn);
}

/**
 * True if the trace starts in a signal handler: at a function entry, although it had stopped elsewhere. Unless trace
 * data was lost meanwhile, or a program begins there.
 */
function entersSignal(state: SegmentState, row: number, site: number, toEntry: boolean): boolean {
  if (Number.isNaN(state.stoppedAt) || state.hasLossWhileStopped) return false;
  if (!toEntry && !mayBeginNameless(state, site)) return false;
  const fn = state.facts.toFunction[site];
  if (hasTrait(state, fn, Trait.ProgramStart) || isOnlyCalled(state, fn)) return false;
  const interrupted = Number.isNaN(state.interruptedAt) ? state.stoppedAt : state.interruptedAt;
  state.pairing.rows.setAction(row, Action.SignalEntry);
  state.interruptedAt = Number.NaN;
  state.open.push(row, interrupted, state.isOutside ? CallKind.SignalFromOutside : CallKind.Signal);
  return true;
}
