/**
 * Decides which call a return ends, by address alone wherever addresses decide. Also handles jumps that act as returns.
 * The kernel makes the same decision for most returns, trace-edges.ts for returns out of traced code.
 */
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { Action } from './actions.js';
import { endsAt } from './calls.js';
import { endCall, jumpByReturn, pairUnmatchedReturn, returnTo } from './end-calls.js';
import { switchBack, switchToAlike, switchToNew } from './fibers/switch-stacks.js';
import { findHiddenSwitch, isInSwitcher } from './fibers/switchers.js';
import { calledIn, hasTrait, type SegmentState } from './segment-state.js';
import { reopen } from './transactions.js';

/**
 * Pairs a return. Tries in this order: the call on top, a hidden switch before the return, any open call, a parked
 * stack; else its call was not seen.
 */
export function pairReturn(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  const to = facts.to[site];
  const toEntry = facts.toEntry[site] === 1;
  const isFromSwitcher = hasTrait(state, facts.fromFunction[site], Trait.StackSwitcher);
  if (!isFromSwitcher && endsTop(state, to)) return endCall(state, row, open.length - 1);
  if (!isFromSwitcher) findHiddenSwitch(state, row, to);
  const isSwitch = isInSwitcher(state) || isFromSwitcher;
  if (isSwitch && toEntry) return switchToNew(state, row); // even if a call instruction ends right before its first byte
  const landing = open.findCaller(to, toEntry || isSwitch);
  const isOwn = isSwitch && landing !== NONE && landing === open.length - 1;
  if (isOwn && switchToAlike(state, row, to)) return;
  if (landing !== NONE) return endCall(state, row, landing);
  if (!toEntry && switchBack(state, row, to, isSwitch)) return;
  pairWithoutCall(state, row, site, isSwitch);
}

/** Handles a return that ends no call of any stack: it ends a signal, only jumps, or its call was not seen. */
function pairWithoutCall(state: SegmentState, row: number, site: number, isSwitch: boolean): void {
  const { facts, open } = state;
  const toEntry = facts.toEntry[site] === 1;
  const isRetpoline = hasTrait(state, facts.fromFunction[site], Trait.Retpoline);
  const signal = open.innermostSignal();
  if (signal !== NONE && !isRetpoline && isHandlerReturn(state, signal, site, toEntry))
    return returnFromSignal(state, row, signal);
  if (isRetpoline && isJumpInCaller(state, site, toEntry)) return endCall(state, row, open.length - 1);
  if (isSwitch) switchToNew(state, row);
  else if (isRetpoline || (toEntry && !open.isAtBase())) jumpByReturn(state, row);
  else if (!returnsToRunning(state, row, site)) pairUnmatchedReturn(state, row);
}

/** True if this return ends the last call of the running stack. */
function endsTop({ open }: SegmentState, to: Address): boolean {
  return open.topOfStack() !== NONE && endsAt(open.at(open.length - 1), to);
}

/** Pairs a return with an unseen call if the function it returns to is open: that function made the call. */
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
 * True if a signal handler returns: to the first byte of `__restore_rt`, or to nameless code. A longjmp or an exception
 * may have skipped what it called. If it has jumped to another function, only the target decides.
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

/** Pairs a jump that the trace shows. Most do nothing here; one may switch stacks or abort a transaction. */
export function pairJump(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  const [from, target] = [facts.fromFunction[site], facts.toFunction[site]];
  if (facts.abortsTransaction[site]) return reopen(state, row, target);
  if (!hasTrait(state, from, Trait.StackSwitcher)) return;
  if (hasTrait(state, from, Trait.Stub)) return; // a stub on the way to the switcher
  if (hasTrait(state, target, Trait.StackSwitcher)) return;
  if (facts.toEntry[site] === 1) return switchToNew(state, row);
  const to = facts.to[site];
  const landing = open.findCaller(to, true);
  const isOwn = landing !== NONE && landing === open.length - 1;
  if (isOwn && switchToAlike(state, row, to)) return;
  if (landing !== NONE) endCall(state, row, landing);
  else if (!switchBack(state, row, to, true) && !recovers(state, row, site)) switchToNew(state, row);
}

/** Handles Go's `recover`: the runtime, which the panic called, goes back to the function that deferred the call. */
function recovers(state: SegmentState, row: number, site: number): boolean {
  const { open, facts } = state;
  const panic = open.findNear((call) => hasTrait(state, calledIn(state, call), Trait.Panic));
  const index = open.findNear((call) => calledIn(state, call) === facts.toFunction[site]);
  return index !== NONE && index < panic && returnsToRunning(state, row, site);
}
