/**
 * What each event does to the stack: the time before it goes to the frame on top, then its step is done, as it was worked
 * out before (pairing/pair-returns.ts).
 */
import { Inference, UNWOUND } from '../model/quality.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import { type FunctionId, NONE, type SiteId } from '../model/units.js';
import { Step } from './functions/site-facts.js';
import { Trait } from './functions/traits.js';
import { layOther } from './losses/first-stack.js';
import type { OtherStack } from './pairing/open-calls.js';
import { Outcome } from './pairing/pairing.js';
import type { StackSwitch } from './pairing/parked-stacks.js';
import { takePlain } from './plain-steps.js';
import { beginStack, leaveStack, resumeStack } from './stack/fibers.js';
import { goOnIn, jumpTo, syncTo } from './stack/hidden-jumps.js';
import { addAlias, jump, replaceTop } from './stack/jump.js';
import { endOfLevel, findBelow, placeBefore, placeOfCall, placeOfLeave } from './stack/levels.js';
import { closeAbove, pushCall, pushOpen, returnFrom, topFrame, topTraits } from './stack/open-frames.js';
import type { ReplayState } from './state.js';
import { chargeMove, chargeUntil, goOnAt, stoppedNode } from './time/charge.js';
import { noteErrors } from './time/lost-time.js';
import { beginStop, endStop, forgetSwitch, takeSwitch } from './time/stops.js';

/** Replays the events of a segment, or a part of it. */
export function takeAll(state: ReplayState, firstRow: number, endRow: number): void {
  let row = takeWhilePlain(state, firstRow, endRow);
  while (row < endRow) {
    take(state, row);
    row = takeWhilePlain(state, row + 1, endRow);
  }
}

/** Takes what needs no thought; returns the first row that does. Who watches sees each event by itself. */
function takeWhilePlain(state: ReplayState, firstRow: number, endRow: number): number {
  if (stoppedNode(state) !== NONE || state.watcher) return firstRow;
  const row = takePlain(state, firstRow, Math.min(endRow, nextUnseen(state, firstRow)));
  if (row === firstRow) return row;
  goOnAt(state, state.events.timeNs[row - 1]);
  forgetSwitch(state);
  return row;
}

/** The next row from here on before which the thread goes to another stack; later than all rows if there is none. */
function nextUnseen({ unseenRows }: ReplayState, row: number): number {
  while ((unseenRows.at(-1) ?? Number.POSITIVE_INFINITY) < row) unseenRows.pop();
  return unseenRows.at(-1) ?? Number.POSITIVE_INFINITY;
}

function take(state: ReplayState, row: number): void {
  const { events, facts } = state;
  state.watcher?.atRow(row);
  const site = events.site[row];
  const step = facts.step[site] as Step;
  if (step >= Step.SwitchOut) return takeSwitch(state, row, step);
  if (step === Step.Gap) return noteErrors(state, row, row + 1, events.timeNs[row]);
  const isElsewhere = state.pairing.unseen.size > 0 && goUnseen(state, row);
  const hasJumped = step !== Step.Start && syncTo(state, facts.fromFunction[site], row);
  if (hasJumped || isElsewhere) chargeMove(state, events.timeNs[row]);
  else chargeUntil(state, events.timeNs[row]);
  apply(state, row, site, step);
}

function apply(state: ReplayState, row: number, site: SiteId, step: Step): void {
  const { facts } = state;
  const target = named(state, facts.toFunction[site]);
  if (stoppedNode(state) !== NONE) endStop(state, true);
  else if (step < Step.End) forgetSwitch(state);
  switch (step) {
    case Step.Start:
      return start(state, row, target);
    case Step.Call:
    case Step.KernelEntry:
      return pushCall(state, target, row);
    case Step.Return:
      return takeReturn(state, row, target);
    case Step.Jump:
      if (state.pairing.outcome[row] !== Outcome.Plain) return takeReturn(state, row, target);
      return jumpTo(state, target, facts.toEntry[site] === 1, row);
    case Step.EndCall:
      if (facts.to[site] !== 0) pushCall(state, target, row);
      return beginStop(state, SpecialSymbol.Untraced);
    case Step.EndReturn:
      takeReturn(state, row, target);
      return beginStop(state, SpecialSymbol.Untraced);
    case Step.End:
      return beginStop(state, SpecialSymbol.Untraced);
    case Step.EndSyscall:
      return beginStop(state, SpecialSymbol.Syscall);
  }
}

function start(state: ReplayState, row: number, target: FunctionId): void {
  goOnIn(state, target);
  switch (state.pairing.outcome[row]) {
    case Outcome.SignalEntry:
      return pushCall(state, target, row);
    case Outcome.Resume: // a virtual machine comes back under a label of its own
      return topFrame(state).fn === target ? undefined : addAlias(state, target);
    case Outcome.NewStack: // entered from code that is not traced: that is over, too
      closeAbove(state, -1, Inference.Unwound);
      return beginOther(state, row, target);
    case Outcome.Pop:
      return takeReturn(state, row, target);
  }
}

/** Before the event in `row` the thread may have gone to another stack. */
function goUnseen(state: ReplayState, row: number): boolean {
  const { pairing, facts, events } = state;
  const unseen = pairing.unseen.get(row);
  if (unseen === undefined) return false;
  leaveStack(state, row);
  const fn = named(state, facts.fromFunction[events.site[row]]);
  if (unseen.to === 'new') {
    beginStack(state, row);
    layOther(state, unseen.stack, row, fn, false);
  } else if (unseen.to === 'left') resumeStack(state, unseen.change, row);
  else {
    const place = placeOfCall(state, unseen.callRow);
    if (place === NONE) return false;
    closeAbove(state, endOfLevel(state, place) - 1, Inference.Unwound);
    if (unseen.isOver) returnFrom(state, place, NONE);
    else replaceTop(state, fn, Inference.HiddenJump);
  }
  return true;
}

/** A stack of the thread that was not seen before. */
function beginOther(state: ReplayState, row: number, first: FunctionId): void {
  const { events, facts, pairing } = state;
  const isEntry = facts.toEntry[events.site[row]] === 1;
  beginStack(state, row);
  layOther(state, pairing.stacks[pairing.link[row]] as OtherStack, row, first, isEntry);
}

function takeReturn(state: ReplayState, row: number, target: FunctionId): void {
  const { pairing } = state;
  const link = pairing.link[row];
  leaveStack(state, row);
  switch (pairing.outcome[row]) {
    case Outcome.Pop:
      returnFrom(state, placeOfCall(state, link), skippedBy(state, row));
      // The return address proves it is the caller's own code, whatever label stands there: ld.so's _start runs
      // on into _dl_start_user.
      if (topFrame(state).fn !== target) addAlias(state, target);
      return;
    case Outcome.ReturnTo:
      return returnTo(state, row, placeOfCall(state, link), target);
    case Outcome.Leave:
      return leave(state, placeOfLeave(state, row), target, skippedBy(state, row));
    case Outcome.JumpByReturn:
      beginStack(state, row);
      return jump(state, target, NONE);
    case Outcome.NewStack:
      return beginOther(state, row, target);
    case Outcome.Reopen:
      return reopen(state, pairing.aborts[link] as number[]);
    case Outcome.StackSwitch:
      return resumeStack(state, pairing.switches[link] as StackSwitch, row);
    case Outcome.SignalReturn:
      returnFrom(state, placeOfCall(state, link), skippedBy(state, row));
      state.signalTail = target;
  }
}

/**
 * How calls ended that the event in `row` passes by: here, if it is a return. Behind a stop they may have ended before, and
 * who switches stacks may go back to them.
 */
function skippedBy(state: ReplayState, row: number): number {
  const isReturn = state.facts.step[state.events.site[row]] !== Step.Start;
  return isReturn && (topTraits(state) & Trait.Switcher) === 0 ? UNWOUND : Inference.Unwound;
}

/** A call that was not shown has returned: its level goes, the one below it goes on. */
function returnTo(state: ReplayState, row: number, place: number, target: FunctionId): void {
  if (place === NONE) return;
  const below = findBelow(state, target, state.depth, place);
  const landing = below === NONE ? endOfLevel(state, place) - 1 : below;
  const returning = named(state, state.facts.fromFunction[state.events.site[row]]);
  if (state.depth === landing + 1) pushOpen(state, returning, Inference.HiddenJump); // it called itself
  closeAbove(state, landing, Inference.HiddenJump);
  state.doubts.doubt(topFrame(state));
}

/** Calls that had returned in a transaction that was aborted go on. */
function reopen(state: ReplayState, callRows: readonly number[]): void {
  const { facts, events } = state;
  closeAbove(state, placeBefore(state, callRows[0] as number), Inference.Unwound);
  for (const row of callRows) pushCall(state, named(state, facts.toFunction[events.site[row]]), row, Inference.Unwound);
}

function leave(state: ReplayState, place: number, target: FunctionId, skipped: number): void {
  if (place > 0) return returnFrom(state, place, skipped);
  closeAbove(state, -1, NONE); // below all that is known
  pushOpen(state, target, Inference.CutByGap);
}

function named({ facts }: ReplayState, fn: FunctionId): FunctionId {
  return fn === NONE ? facts.functions.nameless : fn;
}
