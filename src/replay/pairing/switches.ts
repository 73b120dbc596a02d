/**
 * Stack switches: which stack continues when a function that switches stacks is left, and which functions do so though
 * no name says so.
 *
 * A switch shows in where a function goes. By its own return, a function goes behind the call that called it. One that
 * switches stacks goes behind a pending call to the very same function, of another stack, or to the start of a new one.
 */
import { appendTo } from '../../model/groups.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { USUAL_CALL_BYTES } from '../functions/function-table.js';
import { callsSwitcher, type SiteFacts, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { UnwinderSteps } from './landings.js';
import { Action, type StackSwitch } from './pairing.js';
import {
  calledIn,
  endCall,
  hasTrait,
  leftRowOf,
  returnTo,
  runUnseen,
  type SegmentState,
  switchBefore,
} from './segment-state.js';
import {
  CallKind,
  type CallRows,
  callFromTop,
  chooseAlike,
  endsAt,
  MAX_SEARCH_DEPTH,
  type OpenCall,
  type ParkedStack,
  SIGNAL_END,
} from './stacks.js';

/** A stack that may continue: a parked one, or null for the one that runs. */
type Candidate = ParkedStack | null;

/** True if the event leaves a function that switches stacks, not in a stub on the way to it. */
export function leavesStack(state: SegmentState, site: number): boolean {
  const { facts } = state;
  const [from, to] = [facts.fromFunction[site], facts.toFunction[site]];
  if (!hasTrait(state, from, Trait.StackSwitcher) || hasTrait(state, from, Trait.Stub)) return false;
  return facts.step[site] !== Step.Jump || !hasTrait(state, to, Trait.StackSwitcher);
}

/** Pairs the return or jump with which a function that switches stacks goes on. */
export function pairSwitch(state: SegmentState, row: number, site: number): void {
  const { facts, open } = state;
  state.switcherRow = NONE;
  const to = facts.to[site];
  const top = open.length - 1;
  const isOwn = top !== NONE && endsAt(open.at(top), to);
  const waiting = state.parked.endingAt(to);
  let read: readonly Address[] | null = null;
  const next = () => (read ??= nextReturns(state, row + 1));
  const isGo = hasTrait(state, facts.fromFunction[site], Trait.SystemLeaver); // whose returns end the calls of a stack, always
  const parked = isGo ? waiting.filter(({ calls }) => !isContradicted(calls, next())) : waiting;
  if (facts.toEntry[site] === 1) return beginStack(state, row, site, next()); // even if a call ends right before it
  const { chosen, alike } = choose(state, isOwn ? [...parked, null] : parked, next);
  if (chosen === null) return isGo ? endCall(state, row, top) : goOnHere(state, row, alike);
  if (chosen !== undefined) return goOn(state, row, chosen, { alike });
  const held = parked.length < waiting.length ? null : state.parked.holding(to);
  if (held !== null) return goOn(state, row, held.parked, { above: held.above });
  const landing = open.findCaller(to, true);
  if (landing !== NONE) return endCall(state, row, landing);
  if (!recovers(state, row, site)) goToNew(state, row);
}

/** True if the return, of a function that is not known to switch stacks, ends the call that left a parked one. */
export function goesOn(state: SegmentState, row: number, site: number): boolean {
  const { facts, pairing, parked } = state;
  if (parked.isEmpty || facts.toEntry[site] === 1) return false;
  const { chosen } = choose(state, parked.endingAt(facts.to[site]), () => nextReturns(state, row + 1));
  if (!chosen) return false;
  const firstRow = leftRowOf(state, row, (callFromTop(chosen.calls, 0) as OpenCall).row);
  if (firstRow !== NONE) {
    switchBefore(state, firstRow, { back: resume(state, chosen, firstRow, { isJump: true, alike: 1 }) });
    endCall(state, row, state.open.length - 1);
    return true;
  }
  pairing.doubtfulRows.add(row);
  goOn(state, row, chosen, { alike: 1 });
  return true;
}

/** Handles Go's `recover`: the runtime, which the panic called, goes back to the function that deferred the call. */
function recovers(state: SegmentState, row: number, site: number): boolean {
  const { open, facts, events } = state;
  const fn = facts.toFunction[site];
  const isPanic = (call: OpenCall) => hasTrait(state, calledIn(state, call.row), Trait.Panic);
  const isOf = (call: OpenCall) => facts.fromFunction[events.siteAt(call.row)] === fn;
  const depthOf = (calls: CallRows) => {
    const panic = callsAbove(calls, isPanic);
    return panic === NONE ? NONE : callsAbove(calls, isOf, panic);
  };
  const parked = state.parked.find((calls) => depthOf(calls) !== NONE, true);
  if (parked !== undefined) {
    goOn(state, row, parked, { above: depthOf(parked.calls) });
    return true;
  }
  const panic = open.findNear((call) => hasTrait(state, calledIn(state, call), Trait.Panic));
  const index = open.findNear((call) => calledIn(state, call) === fn);
  if (index === NONE || index >= panic) return false;
  returnTo(state, row, index);
  return true;
}

/**
 * Pairs an event that leads from a function that switches stacks to the start of a function. Nearly always a stack
 * begins there. But if that function returns behind the last call, it was jumped to; if behind the call that left a
 * parked stack, it runs on top of that stack.
 */
function beginStack(state: SegmentState, row: number, site: number, [first]: readonly Address[]): void {
  const { open, facts, pairing } = state;
  const top = open.length - 1;
  if (first !== undefined && top !== NONE && endsAt(open.at(top), first)) {
    pairing.rows.setAction(row, facts.step[site] === Step.Jump ? Action.Jump : Action.JumpByReturn);
    return;
  }
  const below = first === undefined ? undefined : state.parked.endingAt(first)[0];
  const { on, isThrown, alike } = below
    ? { on: below, isThrown: false, alike: 0 }
    : unwoundStack(state, row + 1, facts.toFunction[site]);
  if (on) return goOn(state, row, on, { isJump: true, alike });
  goToNew(state, row);
  state.running.isGuess = isThrown;
  state.running.isWhole = !isThrown;
}

/** As many events are read to find where an exception lands, and as many calls of a stack may be open above that. */
const MAX_UNWINDING = 20_000;
const MAX_CALLS_UNWOUND = 6;
/** All searches together read at most this many times the events of the thread. */
const MAX_PASSES = 4;

/**
 * Returns the parked stack in which an exception lands before the next switch: the function that throws it, `thrower`,
 * runs on top of that stack, to unwind it. It lands in the first function that runs after the unwinder, as many frames
 * down as that stepped; where no steps are seen, in one that was not called since the event in `row`. Of several stacks,
 * the one whose calls the next returns end, else the one that was parked first. `isThrown`: there is an exception, wherever
 * it lands.
 */
function unwoundStack(
  state: SegmentState,
  row: number,
  thrower: FunctionId,
): { readonly on: ParkedStack | undefined; readonly isThrown: boolean; readonly alike: number } {
  const { events, facts, parked } = state;
  const nowhere = { on: undefined, isThrown: false, alike: 0 };
  if (parked.isEmpty || state.unwindingRead > MAX_PASSES * events.length) return nowhere;
  const { fromFunction, toFunction, step, functions } = facts;
  const onTheWay = Trait.Stub | Trait.Resolver | Trait.Unwinder | Trait.Unknown;
  const called = new Set<FunctionId>([thrower, NONE]);
  let steps = null as UnwinderSteps | null;
  let isThrown = false;
  let depth = 0; // calls since `row`
  const end = Math.min(events.length, row + MAX_UNWINDING);
  for (let at = row; at < end && !isSwitch(facts, events.siteAt(at)); at++) {
    const site = events.siteAt(at);
    state.unwindingRead++;
    if (step[site] === Step.Gap) break;
    const [fn, target] = [fromFunction[site], toFunction[site]];
    const mayLand = fn !== NONE && !(functions.traits[fn] & onTheWay);
    if (steps?.depth === depth && mayLand) {
      const landing = steps.landing();
      if (landing !== null && landing < 0) return { ...landedAt(state, at, fn, -1 - landing), isThrown };
      if (landing !== null) [isThrown, depth] = [false, landing];
      steps = null;
    }
    if (isThrown && steps === null && mayLand && !called.has(fn)) {
      const found = parked.find((calls) => callsAbove(calls, madeBy(state, fn), 0, MAX_CALLS_UNWOUND) !== NONE);
      if (found) return { on: found, isThrown, alike: 1 };
    }
    if (step[site] === Step.Return) depth--;
    if (steps !== null && depth < steps.depth) steps = null;
    if (target === NONE) continue;
    if (step[site] === Step.Call || facts.toEntry[site] === 1) called.add(target);
    const isRaiser = (functions.traits[target] & Trait.Raiser) !== 0;
    if (isRaiser) isThrown = true;
    if (step[site] !== Step.Call) continue;
    steps?.add(depth, target, hasTrait(state, fn, Trait.Unwinder));
    depth++;
    if (isRaiser && (steps === null || steps.depth === depth - 1)) steps = new UnwinderSteps(depth);
  }
  return { ...nowhere, isThrown };
}

/** Chooses the stack that an exception has left `above` calls of, as its function `fn` goes on with the event in `row`. */
function landedAt(
  state: SegmentState,
  row: number,
  fn: FunctionId,
  above: number,
): { readonly on: ParkedStack | undefined; readonly alike: number } {
  const isOf = madeBy(state, fn);
  const found = state.parked.findAll((calls) => callsAbove(calls, isOf, above, above + 1) !== NONE);
  if (found.length < 2) return { on: found[0], alike: 0 };
  const left = found.map(({ calls }) => ({ ...calls, length: calls.length - above }));
  const { index, alike } = chooseAlike(left, nextReturns(state, row));
  return { on: found[index], alike: alike && alike + above };
}

/** True for calls that a function made, or another part of it. */
function madeBy({ facts, events }: SegmentState, fn: FunctionId): (call: OpenCall) => boolean {
  const { symbol } = facts.functions;
  return ({ row }) => {
    const by = facts.fromFunction[events.siteAt(row)];
    return by === fn || (by !== NONE && symbol[by] !== NONE && symbol[by] === symbol[fn]);
  };
}

/** Returns the number of calls above the uppermost one that matches, of those from `first` to `end` from the top; or NONE. */
function callsAbove(calls: CallRows, isMeant: (call: OpenCall) => boolean, first = 0, end = MAX_SEARCH_DEPTH): number {
  for (let n = first; n < end; n++) {
    const call = callFromTop(calls, n);
    if (call === null) return NONE;
    if (isMeant(call)) return n;
  }
  return NONE;
}

/** How a parked stack goes on. */
interface GoingOn extends Pick<StackSwitch, 'waitsAt'>, Partial<Pick<StackSwitch, 'isJump'>> {
  /** Number of its uppermost calls that others have that may go on, too; 0: there are none. */
  readonly alike?: number;
  /** Number of calls above the one that is over. */
  readonly above?: number;
}

/** Switches to a parked stack by the event in `row`. */
function goOn(state: SegmentState, row: number, parked: ParkedStack, how: GoingOn): void {
  const { rows, switches } = state.pairing;
  rows.setAction(row, Action.SwitchBack);
  resume(state, parked, row, how);
  rows.setLink(row, switches.length - 1);
}

/**
 * Goes on with the running stack, by the event in `row`. Hardly any function that switches stacks does so: another thread
 * may have left a stack at the same call.
 */
function goOnHere(state: SegmentState, row: number, alike: number): void {
  const { open, pairing } = state;
  const change = ownSwitch(state, alike);
  endCall(state, row, open.length - 1, Action.SwitchBack);
  pairing.rows.setLink(row, pairing.switches.push(change) - 1);
}

/** Says that the running stack goes on, which is a guess. */
function ownSwitch({ open }: SegmentState, alike: number): StackSwitch {
  const callRow = open.topRow();
  const unsureRow = lowestUnsure(open.copy(), alike, open.lowestRepeated());
  return { leftRow: callRow, callRow, isJump: false, isGuess: true, unsureRow };
}

/** Returns `StackSwitch.unsureRow`. `alike`: see `GoingOn`. `repeated`: the row of the lowest call that was made in a recursion. */
function lowestUnsure(calls: CallRows, alike: number, repeated: number): number {
  const { row } = callFromTop(calls, Math.max(0, alike - 1)) as OpenCall;
  return repeated === NONE ? row : Math.min(row, repeated);
}

/** Switches to a parked stack before the event in `row`; no event ends the call. */
function goOnHidden(state: SegmentState, row: number, parked: ParkedStack, how: GoingOn): void {
  const back = resume(state, parked, row, how);
  if (!back.isJump) state.pairing.rows.setLink(back.callRow, back.callRow);
  state.pairing.hiddenSwitches.set(row, { back });
}

/** Makes a parked stack the running one: the event in `row` ends calls on it. */
function resume(
  state: SegmentState,
  parked: ParkedStack,
  row: number,
  { above = 0, isJump = false, alike = 0, waitsAt }: GoingOn,
): StackSwitch {
  const { open, pairing } = state;
  const isGuess = alike > 0 || wasLost(state, parked);
  state.parked.take(parked);
  park(state);
  state.running = parked.stack;
  open.replace(parked.calls);
  const leftRow = open.topRow();
  for (const { row: skipped } of open.cutAbove(open.length - 1 - above)) pairing.rows.setLink(skipped, row);
  const callRow = open.topRow();
  if (!isJump) {
    pairing.rows.setLink(callRow, row);
    open.pop();
  }
  const unsureRow = isGuess ? lowestUnsure(parked.calls, alike, open.lowestRepeated()) : NONE;
  const change = { leftRow, callRow, isJump, isGuess, unsureRow, ...(waitsAt !== undefined && { waitsAt }) };
  pairing.switches.push(change);
  return change;
}

/** Stacks with more calls are not parked: copying them again and again would be slow. */
const MAX_STACK_CALLS = 1 << 14;

/** Parks the running stack, and returns it. Without a call that left it, nothing could continue it. */
function park(state: SegmentState): ParkedStack | null {
  const { open, running, facts, events } = state;
  const top = open.topRow();
  if (top === NONE || open.length > MAX_STACK_CALLS) return null;
  const parked = { stack: running, calls: open.copy(), caller: facts.fromFunction[events.siteAt(top)] };
  if (state.isOnSystem || hasTrait(state, calledIn(state, top), Trait.SystemLeaver)) state.system = parked;
  if (!state.isOnSystem) state.parked.park(parked);
  state.isOnSystem = false;
  return parked;
}

// Go's runtime does its own work on a stack of each thread, the scheduler's: always from above the same frame.

/** True if the call of a site runs on the scheduler's stack, unless that runs already. */
export function callsOnSystemStack(state: SegmentState, site: number): boolean {
  const { fromFunction, toFunction } = state.facts;
  if (state.isOnSystem || !hasTrait(state, fromFunction[site], Trait.SystemCaller)) return false;
  return !hasTrait(state, toFunction[site], Trait.SystemCaller); // it saves where the other stack is left
}

/** Goes to the scheduler's stack for the call in `row`. */
export function goToSystemStack(state: SegmentState, row: number): void {
  const { open, pairing, system } = state;
  const parked = park(state);
  pairing.rows.setAction(row, Action.CallOnOther);
  state.isOnSystem = true;
  state.system = null;
  state.caller = parked && { parked, callRow: row };
  if (system === null || system.calls.length === 0) {
    open.cutAbove(NONE);
    state.running = { unmatchedRows: [] };
    pairing.callsOnOther.set(row, null);
    return;
  }
  if (state.parked.has(system)) state.parked.take(system);
  state.running = system.stack;
  open.replace(system.calls);
  const leftRow = open.topRow();
  const base = open.findNear((call) => hasTrait(state, calledIn(state, call), Trait.SystemBase));
  for (const { row: skipped } of open.cutAbove(base)) pairing.rows.setLink(skipped, row);
  const change = { leftRow, callRow: open.topRow(), isJump: true, isGuess: false };
  pairing.switches.push(change);
  pairing.callsOnOther.set(row, change);
}

/** Goes back, if the return in `row` ends the call on the scheduler's stack, to the stack that had called. */
export function leavesSystemStack(state: SegmentState, row: number): boolean {
  const { open, caller, pairing } = state;
  if (caller === null || !state.isOnSystem || open.topRow() !== caller.callRow) return false;
  state.caller = null;
  if (!state.parked.has(caller.parked)) return false;
  const { callRow } = caller;
  pairing.rows.setLink(callRow, row);
  open.pop();
  state.parked.take(caller.parked);
  state.system = { stack: state.running, calls: open.copy(), caller: NONE };
  state.isOnSystem = false;
  state.running = caller.parked.stack;
  open.replace(caller.parked.calls);
  const leftRow = open.topRow();
  pairing.rows.setAction(row, Action.SwitchBack);
  const change = { leftRow, callRow: leftRow, isJump: true, isGuess: false, returnedRow: callRow };
  pairing.rows.setLink(row, pairing.switches.push(change) - 1);
  return true;
}

/** Switches to a stack that was not seen before, by the event in `row`. */
function goToNew(state: SegmentState, row: number): void {
  park(state);
  state.open.cutAbove(NONE);
  runUnseen(state, row, Action.NewStack);
}

function beginNew(state: SegmentState): SegmentState['running'] {
  park(state);
  state.open.cutAbove(NONE);
  state.running = { unmatchedRows: [] };
  return state.running;
}

// Switches that no event shows, as the function that switches stacks ends in a jump. What runs after it has to tell.

/** Notes the call in `row` if it is made to switch stacks. */
export function noteCall(state: SegmentState, row: number): void {
  if (callsSwitcher(state.facts, state.events.siteAt(row))) state.switcherRow = row;
  else if (state.longJumpRow === NONE && hasTrait(state, calledIn(state, row), Trait.LongJump)) state.longJumpRow = row;
}

/** An event at most this far behind a call shows that its function goes on there. */
const NEAR_BYTES = 64;

/**
 * Decides after a call to a function that switches stacks where the event in `row` comes from: the function may have
 * ended in a jump that the trace does not show.
 */
export function followHidden(state: SegmentState, row: number, site: number): void {
  const { open, facts, pairing } = state;
  if (open.topRow() !== state.switcherRow) {
    if (open.topRow() < state.switcherRow) state.switcherRow = NONE;
    return; // it called something
  }
  const fn = facts.fromFunction[site];
  if (fn === NONE || hasTrait(state, fn, Trait.Stub | Trait.Resolver | Trait.StackSwitcher)) return;
  state.switcherRow = NONE;
  const callRow = open.topRow();
  const next = nextReturns(state, row);
  const [to] = next;
  if (to !== undefined && endsAt(open.at(open.length - 1), to)) return; // it was jumped to, and returns instead
  const { chosen, alike, isJump = false, above = 0 } = chooseHidden(state, fn, row, next);
  if (chosen === null) {
    pairing.hiddenSwitches.set(row, { back: ownSwitch(state, alike) });
    pairing.rows.setLink(callRow, callRow);
    open.pop();
  } else if (chosen === undefined) {
    pairing.hiddenSwitches.set(row, { to: beginNew(state) });
    const mayGoOn = pairing.segments.length > 0 || landingsOf(facts).called.has(fn); // from before a loss, or unseen
    state.running.isGuess = alike > 0 || mayGoOn;
  } else {
    goOnHidden(state, row, chosen, { above, isJump, alike });
  }
}

/** Chooses the stack on which `fn` continues with the event in `row`. `next`: the targets of the next returns. */
function chooseHidden(state: SegmentState, fn: FunctionId, row: number, next: readonly Address[]): Choice {
  const { open, facts, events } = state;
  const at = facts.from[events.siteAt(row)];
  const to = next[0];
  const own = open.copy();
  const ownCaller = facts.fromFunction[events.siteAt(open.topRow())];
  if (to !== undefined && !Number.isNaN(to)) {
    const second = callFromTop(own, 1);
    const fits: Candidate[] = state.parked.returningTo(to);
    if (second !== null && endsAt(second, to)) fits.push(null);
    const inCaller = fits.filter((one) => (one === null ? ownCaller : one.caller) === fn);
    if (inCaller.length > 0) return choose(state, inCaller, () => next);
    const [below] = state.parked.endingAt(to);
    if (below) return { chosen: below, alike: 0, isJump: true };
    if (fits.length > 0) return choose(state, fits, () => next);
    const held = state.parked.holding(to);
    if (held) return { chosen: held.parked, alike: 0, above: held.above - 1 };
  }
  const callers: Candidate[] = state.parked.leftBy(fn).slice(0, MAX_SEARCH_DEPTH);
  if (ownCaller === fn) callers.push(null);
  const fitting = callers.filter((one) => {
    const second = callFromTop(one === null ? own : one.calls, 1);
    return to === undefined || second === null || endsAt(second, to);
  });
  const near = fitting.filter((one) => {
    const { address } = callFromTop(one === null ? own : one.calls, 0) as OpenCall;
    return address < at && at < address + NEAR_BYTES;
  });
  const choice = choose(state, near.length > 0 ? near : fitting, () => next);
  if (choice.chosen !== undefined) return choice;
  const { on, isThrown, alike } = unwoundStack(state, row, fn);
  return on ? { chosen: on, alike, isJump: true } : { chosen: undefined, alike: isThrown ? 1 : 0 };
}

interface Choice {
  /** undefined: there is no candidate. */
  readonly chosen: Candidate | undefined;
  /** See `GoingOn`. */
  readonly alike: number;
  /** The function runs on top of the call that left the stack. */
  readonly isJump?: boolean;
  /** Number of calls above the one that is over. */
  readonly above?: number;
}

/**
 * Of stacks alike, those that were parked before a loss are the last choice. After a loss, the stack that goes on may be
 * one that was not seen: then the next return must not contradict.
 */
function choose(state: SegmentState, candidates: readonly Candidate[], next: () => readonly Address[]): Choice {
  const hasLosses = state.pairing.segments.length > 0;
  if (candidates.length < 2 && !hasLosses) return { chosen: candidates[0], alike: 0 };
  const fits = hasLosses ? candidates.filter((one) => goesOnSo(one?.calls ?? state.open.copy(), next())) : candidates;
  const isLost = (one: Candidate) => one !== null && wasLost(state, one);
  const inOrder = [...fits.filter((one) => !isLost(one)), ...fits.filter(isLost)];
  if (inOrder.length < 2) return { chosen: inOrder[0], alike: 0 };
  const stacks: CallRows[] = inOrder.map((one) => one?.calls ?? state.open.copy());
  const { index, alike } = chooseAlike(stacks, next());
  return { chosen: inOrder[index], alike };
}

/** True if the next returns do not end the calls of a stack: it is not the one that goes on. */
function isContradicted(calls: CallRows, next: readonly Address[]): boolean {
  return next.some((to, n) => {
    const call = callFromTop(calls, n + 1);
    return call !== null && !endsAt(call, to);
  });
}

/** True if the next return, if there is one before the next switch, ends the call below the one that left the stack. */
function goesOnSo(calls: CallRows, [to]: readonly Address[]): boolean {
  const below = callFromTop(calls, 1);
  return to === undefined || below === null || endsAt(below, to);
}

/** True if the stack was parked before a loss: it may have gone on since. */
function wasLost({ firstRow }: SegmentState, { calls }: ParkedStack): boolean {
  return (callFromTop(calls, 0) as OpenCall).row < firstRow;
}

/** As many returns are read ahead. */
const MAX_RETURNS = 12;
/** In as many events: so many, and some for each event since the last time, so that the total cost stays linear. */
const MIN_READ_AHEAD = 256;
const READ_AHEAD_FACTOR = 8;
const MAX_READ_AHEAD = 3000;

/**
 * Returns the targets of the next returns from functions that run in `row` or called those, up to the next stack switch,
 * or to a return that does not end the call before it: an exception or a longjmp has left that. The end of a signal
 * handler is `SIGNAL_END`.
 */
function nextReturns(state: SegmentState, row: number): Address[] {
  const { events, facts, readAheadAt } = state;
  const count = Math.min(MAX_READ_AHEAD, MIN_READ_AHEAD + READ_AHEAD_FACTOR * Math.max(0, row - readAheadAt));
  const end = Math.min(events.length, row + count);
  state.readAheadAt = row;
  const targets: Address[] = [];
  const calls: OpenCall[] = []; // since `row`
  for (let at = row; at < end && targets.length < MAX_RETURNS && !isSwitch(facts, events.siteAt(at)); at++) {
    const site = events.siteAt(at);
    const step = facts.step[site];
    const toEntry = facts.toEntry[site] === 1;
    const made = (kind: CallKind) => calls.push({ row: at, address: facts.from[site], kind });
    if (step === Step.Gap) break;
    if (step === Step.Call) made(CallKind.Call);
    else if (step === Step.KernelEntry) made(CallKind.KernelEntry);
    else if (step === Step.Start && toEntry) made(CallKind.Signal);
    else if (step === Step.Return || step === Step.KernelExit) {
      const to = toEntry ? SIGNAL_END : facts.to[site];
      const call = calls.pop();
      if (call !== undefined && !endsAt(call, to)) break;
      if (call === undefined && step === Step.Return) targets.push(to);
    }
  }
  return targets;
}

/** True if the thread switches stacks here, or calls a function that will. */
function isSwitch(facts: SiteFacts, site: number): boolean {
  const fn = facts.fromFunction[site];
  return callsSwitcher(facts, site) || (fn !== NONE && (facts.functions.traits[fn] & Trait.StackSwitcher) !== 0);
}

// A longjmp goes to a place on its own stack, nearly always. Where it does not, it switches stacks, as QEMU does.

/** Decides where the longjmp landed, if the event in `row` comes from another function and no event shows the landing. */
export function followLongJump(state: SegmentState, row: number, site: number): void {
  const { open, facts } = state;
  const top = open.topRow();
  if (top < state.longJumpRow) state.longJumpRow = NONE;
  const fn = facts.fromFunction[site];
  if (state.longJumpRow === NONE || fn === NONE || hasTrait(state, fn, Trait.Stub | Trait.Resolver | Trait.Unwinder))
    return;
  if (!hasTrait(state, calledIn(state, top), Trait.LongJump)) return; // called by the longjmp, on its way
  const next = nextReturns(state, row);
  if (next[0] !== undefined && endsAt(open.at(open.length - 1), next[0])) return;
  const { longJumpRow: waitsAt } = state;
  const chosen = landedOn(state, fn, next);
  if (chosen === null) return;
  if (chosen !== undefined) return goOnHidden(state, row, chosen, { waitsAt });
  state.pairing.hiddenSwitches.set(row, { to: beginNew(state) });
  state.running.waitsAt = waitsAt;
}

/** The same for a jump that the trace shows. */
export function landLongJump(state: SegmentState, row: number, site: number): void {
  const { facts, longJumpRow: waitsAt } = state;
  const [fn, target] = [facts.fromFunction[site], facts.toFunction[site]];
  if (waitsAt === NONE || !hasTrait(state, fn, Trait.LongJump) || hasTrait(state, fn, Trait.Stub)) return;
  if (target === NONE || facts.toEntry[site] === 1 || hasTrait(state, target, Trait.LongJump | Trait.Stub)) return;
  const chosen = landedOn(state, target, nextReturns(state, row + 1));
  if (chosen === null) return;
  if (chosen !== undefined) return goOn(state, row, chosen, { waitsAt });
  goToNew(state, row);
  state.running.waitsAt = waitsAt;
}

/**
 * Returns the stack on which a longjmp landed in a function: null for the running one, undefined for one that was not
 * seen before. Before it returns another one, it removes what the longjmp called.
 */
function landedOn(state: SegmentState, fn: FunctionId, next: readonly Address[]): ParkedStack | null | undefined {
  const { open, facts, events, longJumpRow } = state;
  state.longJumpRow = NONE;
  const [to] = next;
  const isOf = (call: number) => facts.fromFunction[events.siteAt(call)] === fn || calledIn(state, call) === fn;
  const isOpen = open.length > MAX_SEARCH_DEPTH || open.findNear(isOf) !== NONE;
  if (to !== undefined ? open.findCaller(to, false) !== NONE : isOpen) return null;
  const fits = (to === undefined ? [] : state.parked.returningTo(to)).filter(({ caller }) => caller === fn);
  const others = isOpen || to !== undefined ? [] : state.parked.leftBy(fn);
  const candidates = fits.length > 0 ? fits : others;
  if (candidates.length === 0 && (isOpen || !landingsOf(facts).setJumpers.has(fn))) return null;
  const index = open.findNear((call) => call === longJumpRow);
  for (const { row: skipped } of open.cutAbove(index)) state.pairing.rows.setLink(skipped, skipped);
  return candidates.length === 0 ? undefined : (choose(state, candidates, () => next).chosen as ParkedStack);
}

// Learns which functions switch stacks. Only the first evidence is sure, as what follows it runs on another stack than
// it seems to: so pairing stops there, and begins anew with what it has learned.

function isBehind({ address, kind }: OpenCall, to: Address): boolean {
  return kind === CallKind.Call && address < to && to <= address + USUAL_CALL_BYTES;
}

/** Each one costs a replay of all threads. No program has so many. */
export const MAX_LEARNED = 16;

/** Functions that leave their stack in other ways, or only pass control on. */
const NEVER_LEARNED =
  Trait.Stub |
  Trait.Resolver |
  Trait.Unwinder |
  Trait.StackSwitcher |
  Trait.ReturnThunk |
  Trait.Retpoline |
  Trait.Kernel;

/**
 * True if the return shows that the function on top switches stacks: it goes to the start of a function, though others
 * of its returns go behind calls to it; or behind a call to it other than the last one.
 */
export function findSwitcher(state: SegmentState, site: number): boolean {
  const { open, facts } = state;
  const top = open.length - 1;
  if (top === NONE || facts.learned === MAX_LEARNED) return false;
  const fn = facts.fromFunction[site];
  const call = open.at(top);
  const to = facts.to[site];
  if (call.row <= state.unsureRow) return false;
  if (!isCalledIn(state, call, fn) || hasTrait(state, fn, NEVER_LEARNED) || isBehind(call, to)) return false;
  const isStart = facts.toEntry[site] === 1 || isNamelessStart(state, site, fn);
  if (!(isStart && landingsOf(facts).ownReturns.has(fn)) && !isBehindLower(state, top, to, fn)) return false;
  state.pairing.switcher = { fn, slot: Number.NaN };
  return true;
}

/**
 * True if the return in `row` shows that the function that was called last switches stacks by a jump that the trace does
 * not show: what ran next returns where the caller of an earlier call to it returns; or where no open call was made,
 * though nothing ever goes back behind a call to that function.
 */
export function findSwitcherBefore(state: SegmentState, row: number, to: Address): boolean {
  const { open, facts, events } = state;
  const top = open.length - 1;
  const fn = top === NONE ? NONE : calledIn(state, open.rowAt(top));
  if (fn === NONE || facts.learned === MAX_LEARNED || open.rowAt(top) <= state.unsureRow) return false;
  if (hasTrait(state, fn, NEVER_LEARNED & ~Trait.Stub) || open.at(top).kind !== CallKind.Call) return false;
  if (facts.fromFunction[events.siteAt(firstRowAfter(state, open.rowAt(top), row))] === fn) return false;
  const slot = facts.to[events.siteAt(open.rowAt(top))];
  if (hasTrait(state, fn, Trait.MaySwitch) && open.findCaller(to, false) === NONE) {
    state.pairing.switcher = { fn, slot: Number.NaN };
    return true;
  }
  for (let index = top - 1; index > Math.max(0, top - MAX_SEARCH_DEPTH); index--) {
    const row = open.rowAt(index);
    if (row <= state.unsureRow) break;
    if (facts.to[events.siteAt(row)] !== slot || !isBehind(open.at(index - 1), to)) continue;
    state.pairing.switcher = { fn, slot: hasTrait(state, fn, Trait.Stub) ? slot : Number.NaN };
    return true;
  }
  return false;
}

/** Events read on the way to a function: of stubs and the linker, not counting what they call. */
const MAX_EVENTS_ON_THE_WAY = 64;

/** Returns the row of the first event after the code on the way to the function called in a row. */
function firstRowAfter(state: SegmentState, callRow: number, lastRow: number): number {
  const { events, facts, pairing } = state;
  let row = callRow + 1;
  for (let n = 0; n < MAX_EVENTS_ON_THE_WAY && row < lastRow; n++) {
    if (!hasTrait(state, facts.fromFunction[events.siteAt(row)], Trait.Stub | Trait.Resolver)) break;
    row = Math.max(row, pairing.rows.linkAt(row)) + 1;
  }
  return row;
}

/** True if a call led to this function, possibly through a stub. */
function isCalledIn(state: SegmentState, { row, kind }: OpenCall, fn: FunctionId): boolean {
  const called = calledIn(state, row);
  if (kind !== CallKind.Call || fn === NONE) return false;
  const { stubTarget } = state.facts.functions;
  return called === fn || (called !== NONE && hasTrait(state, called, Trait.Stub) && stubTarget[called] === fn);
}

/** True if the event goes to nameless code that is not behind a call. */
function isNamelessStart(state: SegmentState, site: number, fn: FunctionId): boolean {
  const { facts } = state;
  const target = facts.toFunction[site];
  if (target === NONE || target === fn || !hasTrait(state, target, Trait.Unknown)) return false;
  return !landingsOf(facts).isBehindCall(facts.to[site], fn);
}

function isBehindLower(state: SegmentState, top: number, to: Address, fn: FunctionId): boolean {
  const { open } = state;
  for (let index = top - 1; index >= Math.max(0, top - MAX_SEARCH_DEPTH); index--) {
    const call = open.at(index);
    if (call.row <= state.unsureRow) break;
    if (isBehind(call, to)) return isCalledIn(state, call, fn);
  }
  return false;
}

/** Where calls and returns go, as far as evidence needs it. */
interface Landings {
  /** Functions that are called, or begin as a signal's handler: no stack need begin with them. */
  readonly called: ReadonlySet<FunctionId>;
  /** Functions with a return that goes behind a call to them. */
  readonly ownReturns: ReadonlySet<FunctionId>;
  /** Functions with a return that goes elsewhere, as that of a signal's handler or to untraced code. */
  readonly otherReturns: ReadonlySet<FunctionId>;
  /** Functions that note a place for a longjmp. */
  readonly setJumpers: ReadonlySet<FunctionId>;
  /** Addresses at which the trace stops somewhere. */
  readonly stops: ReadonlySet<Address>;
  /** True if an address is right behind a call to this function or to a stub. */
  isBehindCall(to: Address, fn: FunctionId): boolean;
}

const landings = new WeakMap<SiteFacts, Landings>();

export function landingsOf(facts: SiteFacts): Landings {
  let found = landings.get(facts);
  if (found === undefined) landings.set(facts, (found = findLandings(facts)));
  return found;
}

function findLandings({ step, from, to, toEntry, fromFunction, toFunction, functions }: SiteFacts): Landings {
  const { traits } = functions;
  const called = new Set<FunctionId>();
  const calledAt = new Map<Address, FunctionId[]>();
  const setJumpers = new Set<FunctionId>();
  const stops = new Set<Address>();
  for (let site = 0; site < step.length; site++) {
    if (step[site] >= Step.End && step[site] < Step.Gap) stops.add(from[site]);
    if (step[site] === Step.Start && toEntry[site] === 1) called.add(toFunction[site]);
    if (step[site] !== Step.Call || toFunction[site] === NONE) continue;
    called.add(toFunction[site]);
    if (traits[toFunction[site]] & Trait.SetJump) setJumpers.add(fromFunction[site]);
    appendTo(calledAt, from[site], toFunction[site]);
  }
  const isBehindCall = (address: Address, fn: FunctionId) => {
    for (let bytes = 1; bytes <= USUAL_CALL_BYTES; bytes++)
      if (calledAt.get(address - bytes)?.some((other) => other === fn || traits[other] & Trait.Stub)) return true;
    return false;
  };
  const ownReturns = new Set<FunctionId>();
  const otherReturns = new Set<FunctionId>();
  for (let site = 0; site < step.length; site++) {
    const fn = fromFunction[site];
    if (fn === NONE || (step[site] !== Step.Return && step[site] !== Step.EndReturn)) continue;
    (isBehindCall(to[site], fn) ? ownReturns : otherReturns).add(fn);
  }
  return { called, ownReturns, otherReturns, setJumpers, stops, isBehindCall };
}
