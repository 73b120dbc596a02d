/**
 * The state of pairing a segment: the open calls, the parked stacks, and whether the trace runs.
 */
import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { type SiteFacts, SYSCALL_BYTES } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { ReplayModule } from '../replay-module.js';
import { OpenCalls } from './open-calls.js';
import { Action, MAX_SKIPPED_ROWS, type Pairing, type PairingMemory } from './pairing.js';
import {
  AlikeStacks,
  MAX_PARKED_CALLS,
  MAX_SEARCH_DEPTH,
  type OpenCall,
  type OtherStack,
  ParkedStacks,
  type ResumedStack,
  type SkippedStack,
} from './parked-stacks.js';

/** A call that has returned, and its index on the stack. */
export interface Returned {
  readonly call: OpenCall;
  readonly index: number;
}

export const RUNNING = Number.NaN;

export interface SegmentState {
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  /** Linkage slots known to lead to another stack though no name says so. */
  readonly switcherSlots: Set<Address>;

  /** Pairs calls and returns; null if that is left to TypeScript. */
  readonly module: ReplayModule | null;

  /** The calls of the running stack, and of those below it. */
  readonly open: OpenCalls;
  readonly parked: ParkedStacks;
  /** Rows of the returns from levels that were open when the segment began. */
  readonly unmatchedRows: number[];
  /** The calls that returned last: an aborted transaction may reopen them. */
  readonly returned: Returned[];

  hasBegun: boolean;
  /** Address at which the trace stopped; NaN while it runs. */
  stoppedAt: Address;
  /** Number of bytes after `stoppedAt` at which the trace may continue. */
  resumeReach: number;
  /** The trace stopped at a call into untraced code. */
  stoppedInCall: boolean;
  /** The trace stopped because the lowest traced function returned. */
  isOutside: boolean;
  /** Trace data was lost while the trace was stopped: it can continue only where it stopped. */
  hasLossWhileStopped: boolean;
  /** After the return of a signal handler: where the interrupted code continues. */
  interruptedAt: Address;
}

export function newSegmentState(
  events: ThreadEvents,
  facts: SiteFacts,
  pairing: Pairing,
  switcherSlots: Set<Address>,
  memory: PairingMemory,
): SegmentState {
  return {
    events,
    facts,
    pairing,
    switcherSlots,
    module: memory.module,
    open: new OpenCalls(memory.calls),
    parked: new ParkedStacks(new AlikeStacks(events, facts)),
    unmatchedRows: [],
    returned: [],
    hasBegun: false,
    stoppedAt: RUNNING,
    resumeReach: SYSCALL_BYTES,
    stoppedInCall: false,
    isOutside: false,
    hasLossWhileStopped: false,
    interruptedAt: Number.NaN,
  };
}

/** Returns the function that the call in a row called. */
export function calledIn({ facts, events }: SegmentState, callRow: number): FunctionId {
  return facts.toFunction[events.site[callRow]];
}

export function hasTrait({ facts }: SegmentState, fn: FunctionId, trait: number): boolean {
  return fn !== NONE && (facts.functions.traits[fn] & trait) !== 0;
}

// Ends calls: updates the open calls and writes what ended them to the pairing.

/** Ends the call at an index by the event in `row`; the calls above it are skipped. */
export function endCall(state: SegmentState, row: number, index: number, how: Action = Action.Return): void {
  const { open, facts } = state;
  const { action, link } = state.pairing;
  const callRow = open.rowAt(index);
  action[row] = how;
  link[row] = callRow;
  link[callRow] = row;
  if (!open.isTop(index)) skipCalls(state, row, open.cutAbove(index));
  if (facts.hasAborts) noteReturned(state, index);
  open.pop();
}

function noteReturned({ returned, open }: SegmentState, index: number): void {
  if (returned.push({ call: open.at(index), index }) > 2 * MAX_SEARCH_DEPTH) returned.splice(0, MAX_SEARCH_DEPTH);
}

/** Pairs the return in `row` with a call that the trace does not show, made by the function of the call at an index. */
export function returnTo(state: SegmentState, row: number, index: number): void {
  const { open, pairing } = state;
  pairing.action[row] = Action.ReturnTo;
  pairing.link[row] = open.rowAt(index);
  skipCalls(state, row, open.cutAbove(index));
}

/** Notes the return in `row` as unmatched: its call was not seen. */
export function pairUnmatchedReturn(state: SegmentState, row: number): void {
  const { open, pairing } = state;
  const base = open.findSwitch(({ stack }) => stack !== null);
  const unmatchedRows = base === NONE ? state.unmatchedRows : (open.switchAt(base).stack as OtherStack).unmatchedRows;
  unmatchedRows.push(row);
  pairing.action[row] = Action.UnmatchedReturn;
  const skipped = open.cutStack(base);
  const count = skipped.reduce((sum, { calls }) => sum + calls.length, 0);
  if (count > 0 && count <= MAX_SKIPPED_ROWS)
    pairing.skippedByReturn.set(
      row,
      skipped.flatMap(({ calls }) => calls.map((call) => call.row)),
    );
  skipCalls(state, row, skipped);
}

/** Notes the "return" in `row` as a jump. If its target is never returned from, it may have switched stacks. */
export function jumpByReturn({ pairing, open }: SegmentState, row: number): void {
  pairing.action[row] = Action.JumpByReturn;
  open.switchStack({ row, stack: null });
}

/**
 * Links skipped calls to the event in `row` that skips them, and parks their stacks: they were left before `leftRow`.
 */
export function skipCalls(state: SegmentState, row: number, skipped: readonly SkippedStack[], leftRow = row): void {
  const { pairing, parked } = state;
  pairing.skipped.add(row, skipped, (callRow) => hasTrait(state, calledIn(state, callRow), Trait.Raiser));
  for (const { calls } of skipped) for (const call of calls) pairing.link[call.row] = row;
  parked.park(skipped, leftRow);
}

/** Questions about calls, by their rows. */
interface SwitchingCalls {
  /** True if the call was made to switch to another stack. */
  readonly isToSwitcher: (callRow: number) => boolean;
  /** Returns the row of the first event on the other stack. */
  readonly firstRowThere: (callRow: number) => number;
}

// Switches between the thread's stacks: back to a parked one, or to one that was not seen before.

/** Switches back to a parked stack if this address is on one. */
export function switchBack(state: SegmentState, row: number, to: Address, isSwitch: boolean): boolean {
  return resumeParked(state, row, state.parked.takeResumed(to, row, isSwitch));
}

/** The same where the running stack's last call may just as well return to this address. */
export function switchToAlike(state: SegmentState, row: number, to: Address): boolean {
  return resumeParked(
    state,
    row,
    state.parked.takeAlike(to, row, () => state.open.callsOfStack(MAX_PARKED_CALLS)),
  );
}

function resumeParked(state: SegmentState, row: number, back: ResumedStack | null): boolean {
  if (back === null) return false;
  const { action, link, switches } = state.pairing;
  replaceStack(state, row);
  action[row] = Action.SwitchBack;
  link[row] = switches.push(back.change) - 1;
  link[pushResumed(state, row, back)] = row;
  return true;
}

/** Pushes a resumed stack. The call that had left it has returned: its row is returned instead. */
function pushResumed({ open, pairing }: SegmentState, row: number, { calls, stack }: ResumedStack): number {
  open.switchStack({ row, stack });
  for (const call of calls) pairing.link[call.row] = NONE;
  open.pushAgain(calls.slice(0, -1));
  return (calls.at(-1) as OpenCall).row;
}

/** Switches to a stack that was not seen before, by the event in `row`. */
export function switchToNew(state: SegmentState, row: number): void {
  replaceStack(state, row);
  state.open.switchStack({ row, stack: addNewStack(state, row, Action.NewStack) });
}

/**
 * Ends what was entered from untraced code in an earlier `row`, as it returns (`returnRow`) to untraced code that was
 * not its caller before: it ran on a stack of its own, for all that is known.
 */
export function pairEntryFromOutside(state: SegmentState, row: number, returnRow: number): void {
  skipCalls(state, returnRow, state.open.cutAbove(NONE));
  const stack = addNewStack(state, row, Action.EntryFromOutside);
  stack.unmatchedRows.push(returnRow);
  state.pairing.action[returnRow] = Action.UnmatchedReturn;
  state.open.switchStack({ row, stack });
}

function addNewStack({ pairing }: SegmentState, row: number, how: Action): OtherStack {
  const { action, link, stacks } = pairing;
  const stack = { unmatchedRows: [] };
  action[row] = how;
  link[row] = stacks.push(stack) - 1;
  return stack;
}

/** Removes the stack that was switched to, as another one takes its place. */
function replaceStack(state: SegmentState, row: number, endRow = row): void {
  const { open, pairing } = state;
  const current = open.findSwitch(({ stack }) => stack !== null);
  if (current === NONE) return;
  pairing.replacedStack.set(row, open.switchAt(current).row);
  skipCalls(state, endRow, open.takeStack(current), row);
}

/**
 * Switches to another stack before the event in `row`, if the return in `returnRow` to this address ends a call on it,
 * right below the call that left it.
 */
export function switchHidden(
  state: SegmentState,
  row: number,
  returnRow: number,
  to: Address,
  calls: SwitchingCalls,
): void {
  if (switchBelowHidden(state, row, returnRow, to, calls)) return;
  const back = state.parked.takeHidden(to, row, returnRow, calls.isToSwitcher);
  if (back === null) return;
  const { link, switches, hiddenSwitches } = state.pairing;
  replaceStack(state, row, returnRow);
  const callRow = pushResumed(state, row, back);
  link[callRow] = callRow;
  switches.push(back.change);
  hiddenSwitches.set(row, { to: 'parked', change: back.change });
}

/** True if a return to this address ends a call on another stack, right below the one that left it. */
export function endsCallOnOther(
  { open, parked }: SegmentState,
  to: Address,
  isSwitchingCall: (callRow: number) => boolean,
  continues: (callRow: number) => boolean,
): boolean {
  const landing = open.findCaller(to, true);
  if (landing === NONE) return parked.hasLeftBy(to, isSwitchingCall, continues);
  const isAnother = landing + 1 < open.length - 1;
  return isAnother && isSwitchingCall(open.rowAt(landing + 1)) && continues(open.rowAt(landing));
}

/** As `switchHidden`, to the stack from which the running one was switched to. */
function switchBelowHidden(
  state: SegmentState,
  row: number,
  returnRow: number,
  to: Address,
  { isToSwitcher, firstRowThere }: SwitchingCalls,
): boolean {
  const { open, pairing } = state;
  const landing = open.findCaller(to, true);
  if (landing === NONE) return false;
  const isOver = !isToSwitcher(open.rowAt(landing));
  const index = isOver ? landing + 1 : landing;
  if (index >= open.length - 1 || !isToSwitcher(open.rowAt(index))) return false;
  const callRow = open.rowAt(index);
  const isNew = open.findSwitch((change) => change.base === index + 1) === NONE;
  const skipped = open.cutAbove(index);
  skipCalls(state, returnRow, isNew ? markHiddenStart(state, skipped, firstRowThere(callRow)) : skipped, row);
  pairing.hiddenSwitches.set(row, { to: 'below', callRow, isOver });
  if (!isOver) return true;
  pairing.link[callRow] = callRow;
  open.pop();
  return true;
}

/** Marks the lowest of these stacks as begun before the event in `row`: it was not seen before. */
function markHiddenStart(
  { pairing }: SegmentState,
  [lowest, ...others]: readonly SkippedStack[],
  row: number,
): SkippedStack[] {
  if (lowest === undefined) return [];
  const stack = { unmatchedRows: [] };
  pairing.hiddenSwitches.set(row, { to: 'new', stack });
  return [{ ...lowest, startRow: row, stack }, ...others];
}
