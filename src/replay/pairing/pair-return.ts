/**
 * Decides which call a return ends, by address alone wherever addresses decide. Also handles jumps that act as returns.
 * The module makes the same decision for most returns, segment-state.ts for returns out of traced code.
 */
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { Action } from './pairing.js';
import { endsAt, MAX_SEARCH_DEPTH } from './parked-stacks.js';
import {
  calledIn,
  endCall,
  endsCallOnOther,
  hasTrait,
  jumpByReturn,
  pairUnmatchedReturn,
  type Returned,
  returnTo,
  type SegmentState,
  skipCalls,
  switchBack,
  switchHidden,
  switchToAlike,
  switchToNew,
} from './segment-state.js';

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

/**
 * Undoes an aborted transaction: calls that had returned in it are open again.
 *
 * Reopens the calls that had returned in the transaction, if the event in `row` continues in one of them.
 */
function reopen(state: SegmentState, row: number, fn: FunctionId): void {
  const { open, returned, pairing } = state;
  const isCallOf = (callRow: number) => calledIn(state, callRow) === fn;
  for (let index = open.length - 1; index >= Math.max(0, open.length - MAX_SEARCH_DEPTH); index--)
    if (isCallOf(open.rowAt(index))) return;
  const first = returned.findLastIndex(({ call }) => isCallOf(call.row));
  const reopened = first === NONE ? [] : openBeforeReturn(returned.slice(first));
  const lowest = reopened[0];
  if (lowest === undefined || lowest.index > open.length) return;
  skipCalls(state, row, open.cutAbove(lowest.index - 1));
  open.pushAgain(reopened.map(({ call }) => call));
  const { action, link, aborts } = pairing;
  action[row] = Action.Reopen;
  for (const { call } of reopened) link[call.row] = NONE;
  link[row] = aborts.push(reopened.map(({ call }) => call.row)) - 1;
}

/**
 * Returns what was open right before the first of these returned: itself, and those lower on the stack that returned
 * later.
 */
function openBeforeReturn(returned: readonly Returned[]): Returned[] {
  const open: Returned[] = [];
  for (const next of returned) if (next.index < (open[0]?.index ?? Number.POSITIVE_INFINITY)) open.unshift(next);
  return open;
}

/** Events read on the way to a switcher: of stubs, the linker and the switcher itself, not counting what they call. */
const MAX_EVENTS_TO_SWITCHER = 64;

/**
 * Decides which calls switch stacks. Functions that do have known names; a linkage slot that leads to one may have
 * none.
 *
 * True if the last call on this stack was made to switch to another one.
 */
function isInSwitcher(state: SegmentState): boolean {
  if (!state.facts.functions.hasSwitchers && state.switcherSlots.size === 0) return false;
  const top = state.open.topOfStack();
  return top !== NONE && isToSwitcher(state, top);
}

function isToSwitcher(state: SegmentState, callRow: number): boolean {
  const { facts, events, switcherSlots } = state;
  return (
    hasTrait(state, calledIn(state, callRow), Trait.StackSwitcher) || switcherSlots.has(facts.to[events.site[callRow]])
  );
}

/**
 * Finds a stack switch that a hidden jump made after the last call: the return in `row` is on the other stack, and
 * determines which one it is.
 */
function findHiddenSwitch(state: SegmentState, row: number, to: Address): void {
  const callRow = state.open.topOfStack();
  if (callRow === NONE) return;
  if (isToSwitcher(state, callRow)) {
    const firstRowThere = (switchRow: number) => firstRowAfter(state, switchRow, row);
    switchHidden(state, firstRowThere(callRow), row, to, {
      isToSwitcher: (other) => isToSwitcher(state, other),
      firstRowThere,
    });
  } else if (hasTrait(state, calledIn(state, callRow), Trait.Stub | Trait.Unknown)) findSlot(state, callRow, row, to);
}

/**
 * Finds a slot that leads to another stack: neither of two calls through it returns by itself, and right after one of
 * them the function that waits at the other one continues.
 */
function findSlot(state: SegmentState, callRow: number, row: number, to: Address): void {
  const { facts, switcherSlots } = state;
  const { site } = state.events;
  const slot = facts.to[site[callRow]];
  const first = firstRowAfter(state, callRow, row);
  const isToSlot = (other: number) => facts.to[site[other]] === slot;
  const continues = (other: number) => first === row || facts.fromFunction[site[first]] === calledIn(state, other);
  if (endsCallOnOther(state, to, isToSlot, continues)) switcherSlots.add(slot);
}

/** Returns the row of the first event after the code on the way to the function called in a row. */
function firstRowAfter(state: SegmentState, callRow: number, lastRow: number): number {
  const { events, facts, pairing } = state;
  const onTheWay = Trait.Stub | Trait.Resolver | Trait.StackSwitcher;
  let row = callRow + 1;
  for (let n = 0; n < MAX_EVENTS_TO_SWITCHER && row < lastRow; n++) {
    if (!hasTrait(state, facts.fromFunction[events.site[row]], onTheWay)) break;
    row = Math.max(row, pairing.link[row]) + 1;
  }
  return row;
}
