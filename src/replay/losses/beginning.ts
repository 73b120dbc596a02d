/**
 * A thread before its first branch: it was created while recording, or had been waiting since the recording began.
 * Where its switches show that it ran meanwhile and the trace was not decoded, that time is lost.
 */
import { SpecialSymbol } from '../../model/symbol-table.js';
import type { Nanoseconds } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import { comesOutOfSyscall, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { ReplayState } from '../state.js';
import { NEVER_SEEN } from '../thread-replay.js';
import {
  beginStop,
  beginWait,
  chargeUntil,
  endStop,
  followSwitches,
  isSwitchOut,
  loseUntil,
  recordErrors,
  startAt,
  switchIn,
  switchOut,
} from '../time.js';

export interface Beginning {
  readonly firstRow: number;
  /** The thread was created while recording: it has no earlier time and no callers. */
  readonly createdInside: boolean;
  /** Switches and errors in rows before this one show that trace data is missing; 0: none is. */
  readonly lostEnd: number;
}

/** Determines how a thread begins. `firstRow`: row of its first branch. */
export function beginningOf(state: ReplayState, firstRow: number): Beginning {
  const isAfterFork = startsAfterFork(state, firstRow);
  const lostEnd = isAfterFork ? 0 : endOfFirstLoss(state, firstRow);
  return { firstRow, createdInside: state.options.createdInside || isAfterFork, lostEnd };
}

/** Returns when the thread is first known. If its first event ends a stop, it was waiting since the recording began. */
export function startOf(state: ReplayState, { firstRow, createdInside, lostEnd }: Beginning): Nanoseconds {
  const { events } = state;
  const extendTo = createdInside ? null : state.options.extendTo;
  if (lostEnd === 0) return extendTo && isTraceStart(state, firstRow) ? extendTo.startNs : events.timeAt(firstRow);
  return extendTo ? extendTo.startNs : events.timeAt(0);
}

/**
 * Starts a thread without a branch: from its first record on, or from the start of the recording if it existed then.
 */
export function startWithoutBranch(state: ReplayState): Nanoseconds {
  const { extendTo, createdInside, mayBeUndecoded = false } = state.options;
  if (!extendTo || createdInside || !mayBeUndecoded) return state.nowNs;
  const { length } = state.events;
  const first = length === 0 ? null : state.facts.step[state.events.siteAt(0)];
  if (first === Step.Gap) return state.nowNs; // what it did before its first error is unknown
  startAt(state, extendTo.startNs);
  if (first !== Step.SwitchIn) return state.nowNs;
  beginStop(state, SpecialSymbol.Untraced);
  switchOut(state, SpecialSymbol.OffCpu);
  return extendTo.startNs;
}

/** Records the time lost before the first stack. Where the thread was then is unknown. */
export function recordFirstLoss(state: ReplayState, { firstRow, lostEnd }: Beginning): void {
  const { events } = state;
  if (lostEnd > 0) {
    waitBeforeLoss(state);
    const nextErrorRow = followSwitches(state, 0, lostEnd, NEVER_SEEN);
    loseUntil(state, events.timeAt(lostEnd), nextErrorRow, lostEnd, NEVER_SEEN);
  }
  recordErrors(state, lostEnd, firstRow, events.timeAt(firstRow));
}

/** Until its first switch in, the thread had no CPU. What it did before its first error is unknown. */
function waitBeforeLoss(state: ReplayState): void {
  const { events, facts } = state;
  const first = facts.step[events.siteAt(0)];
  if (first === Step.SwitchIn) beginWait(state, Step.SwitchOut);
  if (first !== Step.Gap || events.timeAt(0) === state.nowNs) return;
  beginStop(state, SpecialSymbol.Untraced);
  chargeUntil(state, events.timeAt(0));
  endStop(state, true);
}

/** Lets the first stack wait until the first event. */
export function waitForFirstBranch(state: ReplayState, { firstRow, lostEnd }: Beginning): void {
  const { events, facts } = state;
  const inSyscall = comesOutOfSyscall(facts, events.siteAt(firstRow));
  beginStop(state, inSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced);
  if (lostEnd === 0) waitOffCpu(state, firstRow);
  chargeUntil(state, events.timeAt(firstRow));
  endStop(state, false);
}

/**
 * Charges the wait by the thread's switches: it may have run now and then. If the first switch is one in, it was
 * off-CPU before.
 */
function waitOffCpu(state: ReplayState, firstRow: number): void {
  const { events, facts } = state;
  let isFirst = true;
  for (let row = 0; row < firstRow; row++) {
    const step = facts.step[events.siteAt(row)] as Step;
    if (step === Step.Exec && isFirst) return;
    if (step !== Step.SwitchIn && !isSwitchOut(step)) continue;
    const ns = events.timeAt(row);
    if (isFirst && step === Step.SwitchIn && ns > state.nowNs) switchOut(state, SpecialSymbol.OffCpu);
    chargeUntil(state, ns);
    if (step === Step.SwitchIn) switchIn(state, !isFirst);
    else switchOut(state, step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted);
    isFirst = false;
  }
}

/**
 * Returns the row up to which trace data is missing before the first branch; 0: none is. Missing is a stay on a CPU
 * without a branch, what follows an error, and the stay that the first branch is in, unless that is a trace start:
 * until then the thread may have been in the kernel.
 */
function endOfFirstLoss(state: ReplayState, firstRow: number): number {
  const { events, facts, options } = state;
  if (!options.mayBeUndecoded) return 0;
  const steps = Array.from({ length: firstRow }, (_, row) => facts.step[events.siteAt(row)] as Step);
  const lastIn = steps.lastIndexOf(Step.SwitchIn);
  const lastOut = steps.findLastIndex(isSwitchOut);
  const hasError = steps.lastIndexOf(Step.Gap) > Math.max(lastIn, lastOut);
  const isInUserSpace = facts.scope === 'user' && !isTraceStart(state, firstRow); // a switch in resumes in the kernel
  if (hasError || (isInUserSpace && Math.max(lastIn, lastOut) >= 0)) return firstRow;
  if (lastOut === -1) return 0;
  return lastIn > lastOut ? lastIn : firstRow;
}

function isTraceStart({ events, facts }: ReplayState, row: number): boolean {
  return facts.step[events.siteAt(row)] === Step.Start;
}

/** True if the first branch is in clone, fork or the like, in which a new thread or process begins. */
function startsAfterFork({ events, facts }: ReplayState, row: number): boolean {
  const { step, toFunction, fromFunction, functions } = facts;
  const site = events.siteAt(row);
  const fn = step[site] === Step.Start ? toFunction[site] : fromFunction[site];
  return (functions.traits[orNameless(functions, fn)] & Trait.CloneOrFork) !== 0;
}
