/**
 * Which call does a return end? By address alone, wherever addresses can tell; and the jumps that act as returns.
 */
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { Action } from './actions.js';
import { endsAt } from './calls.js';
import { endCall, jumpByReturn, pairUnmatchedReturn, returnTo } from './end-calls.js';
import { calledIn, hasTrait, type SegmentState } from './segment-state.js';
import { goToOther, switchBack, switchToAlike } from './switch-stacks.js';
import { findUnseenSwitch, isInSwitcher } from './switchers.js';
import { reopen } from './transactions.js';

export function pairReturn(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  const to = facts.to[site];
  const toEntry = facts.toEntry[site] === 1;
  const isFromSwitcher = hasTrait(state, facts.fromFunction[site], Trait.StackSwitcher);
  if (!isFromSwitcher && endsTop(state, to)) return endCall(state, row, open.length - 1);
  if (!isFromSwitcher) findUnseenSwitch(state, row, to);
  const isSwitch = isInSwitcher(state) || isFromSwitcher;
  if (isSwitch && toEntry) return goToOther(state, row); // whatever call may lie before its first byte
  const landing = open.findCaller(to, toEntry || isSwitch);
  const isOwn = isSwitch && landing !== NONE && landing === open.length - 1;
  if (isOwn && switchToAlike(state, row, to)) return;
  if (landing !== NONE) return endCall(state, row, landing);
  if (!toEntry && switchBack(state, row, to, isSwitch)) return;
  pairWithoutCall(state, row, site, isSwitch);
}

/** No call of any stack is ended by this return: it ends a signal, only jumps, or its call was not seen. */
function pairWithoutCall(state: SegmentState, row: number, site: number, isSwitch: boolean): void {
  const { facts, open } = state;
  const toEntry = facts.toEntry[site] === 1;
  const isRetpoline = hasTrait(state, facts.fromFunction[site], Trait.Retpoline);
  const signal = open.innermostSignal();
  if (signal !== NONE && !isRetpoline && isHandlerReturn(state, signal, site, toEntry))
    return returnFromSignal(state, row, signal);
  if (isRetpoline && isJumpInCaller(state, site, toEntry)) return endCall(state, row, open.length - 1);
  if (isSwitch) goToOther(state, row);
  else if (isRetpoline || (toEntry && !open.isAtBase())) jumpByReturn(state, row);
  else if (!returnsToRunning(state, row, site)) pairUnmatchedReturn(state, row);
}

/** The function that the running stack called last returns from there. */
function endsTop({ open }: SegmentState, to: Address): boolean {
  return open.topOfStack() !== NONE && endsAt(open.at(open.length - 1), to);
}

/** Nobody saw the call that this return ends, but the function that it returns to is open: it made it. */
function returnsToRunning(state: SegmentState, row: number, site: number): boolean {
  const fn = state.facts.toFunction[site];
  const index = state.open.findNear((call) => calledIn(state, call) === fn);
  if (index !== NONE) returnTo(state, row, index);
  return index !== NONE;
}

// A computed goto through a retpoline ends in the function that called the retpoline.
function isJumpInCaller({ open, facts, events }: SegmentState, site: number, toEntry: boolean): boolean {
  const top = open.topOfStack();
  if (toEntry || top === NONE) return false;
  return facts.fromFunction[events.site[top]] === facts.toFunction[site];
}

/**
 * A handler returns to the first byte of `__restore_rt`, or to nameless code. Whatever it called may have been left by a
 * longjmp or an exception; it may have jumped on, too, and then only the target tells.
 */
function isHandlerReturn(state: SegmentState, signal: number, site: number, toEntry: boolean): boolean {
  const handler: FunctionId = calledIn(state, state.open.rowAt(signal));
  const isTop = signal === state.open.length - 1;
  const isOwn = handler === state.facts.fromFunction[site];
  return toEntry ? isTop || isOwn : isTop && isOwn;
}

function returnFromSignal(state: SegmentState, row: number, signal: number): void {
  state.interruptedAt = state.open.at(signal).address;
  endCall(state, row, signal, Action.SignalReturn);
}

/** A jump that was shown. Most concern nobody here; one may go to another stack, or undo a transaction. */
export function pairJump(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  const [from, target] = [facts.fromFunction[site], facts.toFunction[site]];
  if (facts.abortsTransaction[site]) return reopen(state, row, target);
  if (!hasTrait(state, from, Trait.StackSwitcher)) return;
  if (hasTrait(state, from, Trait.Stub)) return; // it is on its way there
  if (hasTrait(state, target, Trait.StackSwitcher)) return;
  if (facts.toEntry[site] === 1) return goToOther(state, row);
  const to = facts.to[site];
  const landing = open.findCaller(to, true);
  const isOwn = landing !== NONE && landing === open.length - 1;
  if (isOwn && switchToAlike(state, row, to)) return;
  if (landing !== NONE) endCall(state, row, landing);
  else if (!switchBack(state, row, to, true) && !recovers(state, row, site)) goToOther(state, row);
}

/** Go's `recover`: the runtime, which the panic called, goes back to the function that deferred the call of it. */
function recovers(state: SegmentState, row: number, site: number): boolean {
  const { open, facts } = state;
  const panic = open.findNear((call) => hasTrait(state, calledIn(state, call), Trait.Panic));
  const index = open.findNear((call) => calledIn(state, call) === facts.toFunction[site]);
  return index !== NONE && index < panic && returnsToRunning(state, row, site);
}
