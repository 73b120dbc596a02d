/**
 * Decides which call a return ends, by address alone wherever addresses decide. The module makes the same decision for
 * most returns, switches.ts for functions that switch stacks.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { noteUnwound } from './landings.js';
import { Action } from './pairing.js';
import {
  calledIn,
  endCall,
  hasTrait,
  pairUnmatchedReturn,
  type Returned,
  returnTo,
  rowOfBranchBefore,
  type SegmentState,
  skipCalls,
} from './segment-state.js';
import { endsAt, MAX_SEARCH_DEPTH } from './stacks.js';
import {
  findSwitcher,
  findSwitcherBefore,
  goesOn,
  landLongJump,
  leavesStack,
  leavesSystemStack,
  pairSwitch,
} from './switches.js';

/** Pairs a return: with the call on top, any open call, a signal; else it only jumps, or its call was not seen. */
export function pairReturn(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  if (leavesStack(state, site)) return pairSwitch(state, row, site);
  const to = facts.to[site];
  const top = open.length - 1;
  if (top !== NONE && endsAt(open.at(top), to)) {
    if (!leavesSystemStack(state, row)) endCall(state, row, top);
    return;
  }
  if (findSwitcher(state, site) || findSwitcherBefore(state, row, to)) return;
  noteUnwound(state, row);
  const landing = open.findCaller(to, facts.toEntry[site] === 1);
  if (landing !== NONE) endCall(state, row, landing);
  else if (!goesOn(state, row, site)) pairWithoutCall(state, row, site);
}

/** True if a retpoline jumps by the return. It may end in a return thunk. */
function leavesRetpoline(state: SegmentState, row: number, site: number): boolean {
  const { facts, events } = state;
  if (hasTrait(state, facts.fromFunction[site], Trait.Retpoline)) return true;
  const before = rowOfBranchBefore(state, row);
  const isThunk = hasTrait(state, facts.fromFunction[site], Trait.ReturnThunk);
  return isThunk && before !== NONE && hasTrait(state, facts.fromFunction[events.siteAt(before)], Trait.Retpoline);
}

/** Handles a return that ends no call: it ends a signal, only jumps, or its call was not seen. */
function pairWithoutCall(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  const toEntry = facts.toEntry[site] === 1;
  const isRetpoline = leavesRetpoline(state, row, site);
  if (hasTrait(state, facts.toFunction[site], Trait.TaskStart)) return pairUnmatchedReturn(state, row);
  const signal = open.innermostSignal();
  if (signal !== NONE && !isRetpoline && isHandlerReturn(state, signal, site, toEntry))
    return returnFromSignal(state, row, signal);
  if (isRetpoline && isJumpInCaller(state, site, toEntry)) return endCall(state, row, open.length - 1);
  if (isRetpoline || (toEntry && !isAtBase(state))) {
    state.pairing.rows.setAction(row, Action.JumpByReturn);
    if (!isRetpoline) state.pairing.doubtfulRows.add(row);
  } else if (!returnsToRunning(state, row, site)) pairUnmatchedReturn(state, row);
}

/**
 * True if what first ran on the running stack, one that was switched to, runs again. `makecontext` lets that return to a
 * function entry.
 */
function isAtBase({ running, first, open }: SegmentState): boolean {
  return running !== first && open.length === 0;
}

/**
 * Pairs a return with an unseen call if the function it returns to is open: that function made the call, or, as OCaml
 * does, an exception was raised by a return into it. It was called, or it made the call above, after a hidden jump.
 */
function returnsToRunning(state: SegmentState, row: number, site: number): boolean {
  const { open, facts, events } = state;
  const fn = facts.toFunction[site];
  let above: number = NONE;
  const index = open.findNear((call) => {
    const isOpen = calledIn(state, call) === fn || (above !== NONE && facts.fromFunction[events.siteAt(above)] === fn);
    above = call;
    return isOpen;
  });
  if (index !== NONE) returnTo(state, row, index);
  return index !== NONE;
}

// A computed goto through a retpoline ends in the function that called the retpoline.
function isJumpInCaller({ open, facts, events }: SegmentState, site: number, toEntry: boolean): boolean {
  const top = open.topRow();
  if (toEntry || top === NONE) return false;
  return facts.fromFunction[events.siteAt(top)] === facts.toFunction[site];
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
  state.interruptedAt = state.handlerInterruptedAt = state.open.at(signal).address;
  endCall(state, row, signal, Action.SignalReturn);
}

/** Pairs a jump that the trace shows. Most do nothing here; one may switch stacks or abort a transaction. */
export function pairJump(state: SegmentState, row: number, site: number): void {
  const { facts } = state;
  if (facts.abortsTransaction[site]) reopen(state, row, facts.toFunction[site]);
  else if (leavesStack(state, site)) pairSwitch(state, row, site);
  else landLongJump(state, row, site);
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
  const { rows, aborts } = pairing;
  rows.setAction(row, Action.Reopen);
  for (const { call } of reopened) rows.setLink(call.row, NONE);
  rows.setLink(row, aborts.push(reopened.map(({ call }) => call.row)) - 1);
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
