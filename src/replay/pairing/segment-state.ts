/**
 * The state of pairing a segment: the stack that runs, the parked ones, and whether the trace runs.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { ReplayModule } from '../replay-module.js';
import { OpenCalls } from './open-calls.js';
import { Action, type HiddenSwitch, MAX_SKIPPED_ROWS, type Pairing, type PairingMemory } from './pairing.js';
import {
  CallKind,
  MAX_SEARCH_DEPTH,
  type OpenCall,
  type ParkedStack,
  type ParkedStacks,
  type Stack,
} from './stacks.js';

/** A call that has returned, and its index on the stack. */
export interface Returned {
  readonly call: OpenCall;
  readonly index: number;
}

export const RUNNING = Number.NaN;

/** If a return that nothing explains skips more calls, they are over. */
const MAX_SPLIT_CALLS = 512;

/** What counting the steps of unwinders reads. */
export interface Walk {
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  /** Rows of the thread read so far: bounds the cost. */
  unwinderRowsRead: number;
}

export interface SegmentState {
  readonly walk: Walk;
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  /** Pairs calls and returns; null if that is left to TypeScript. */
  readonly module: ReplayModule | null;

  /** The stack that the segment begins with, and the one that runs. */
  readonly first: Stack;
  running: Stack;
  /** The calls of the one that runs. */
  readonly open: OpenCalls;
  /** Those that were parked before a loss may have gone on meanwhile. */
  readonly parked: ParkedStacks;
  /** The first row after the last loss. */
  readonly firstRow: number;
  /** Go: the scheduler's stack, while a goroutine runs; null: it was not seen, or runs itself. */
  system: ParkedStack | null;
  /** The scheduler's stack runs. */
  isOnSystem: boolean;
  /** The stack that waits until a function returns that it called on the scheduler's stack, and the row of that call. */
  caller: { readonly parked: ParkedStack; readonly callRow: number } | null;
  /** The calls that returned last: an aborted transaction may reopen them. */
  readonly returned: Returned[];

  hasBegun: boolean;
  /** The row of the last call to a function that switches stacks, as long as nothing shows what ran next; or NONE. */
  switcherRow: number;
  /** The row of the lowest call to a longjmp that is open, as long as nothing shows where that landed; or NONE. */
  longJumpRow: number;
  /** The row from which events were read ahead last, and how many were in search of exceptions. */
  readAheadAt: number;
  unwindingRead: number;
  /** The rows of open calls that exceptions left for good, those of the unwinders too. */
  readonly unwound: Set<number>;
  /** A return in this row skipped calls: which of the earlier ones are open is not sure, as some may wait at the same call. */
  unsureRow: number;

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
  /** Likewise until a traced kernel goes there; NaN: no handler has returned. */
  handlerInterruptedAt: Address;
  /** The traced kernel replaces the program: it will not go back to where it was entered. */
  isNewProgram: boolean;
}

export function newSegmentState(
  walk: Walk,
  memory: PairingMemory,
  firstRow: number,
  parked: ParkedStacks,
): SegmentState {
  const { events, facts, pairing } = walk;
  const first = { unmatchedRows: [] };
  const unwound = new Set<number>();
  return {
    walk,
    events,
    facts,
    pairing,
    module: memory.module,
    first,
    running: first,
    open: new OpenCalls(memory.calls, unwound),
    parked,
    firstRow,
    system: null,
    isOnSystem: false,
    caller: null,
    returned: [],
    hasBegun: false,
    switcherRow: NONE,
    longJumpRow: NONE,
    readAheadAt: NONE,
    unwindingRead: 0,
    unwound,
    unsureRow: NONE,
    stoppedAt: RUNNING,
    resumeReach: SYSCALL_BYTES,
    stoppedInCall: false,
    isOutside: false,
    hasLossWhileStopped: false,
    interruptedAt: Number.NaN,
    handlerInterruptedAt: Number.NaN,
    isNewProgram: false,
  };
}

/** Returns the function that the call in a row called. */
export function calledIn({ facts, events }: SegmentState, callRow: number): FunctionId {
  return facts.toFunction[events.siteAt(callRow)];
}

export function hasTrait({ facts }: SegmentState, fn: FunctionId, trait: number): boolean {
  return fn !== NONE && (facts.functions.traits[fn] & trait) !== 0;
}

/** Returns the row of the last branch before a row, or NONE. */
export function rowOfBranchBefore({ facts, events }: Pick<Walk, 'facts' | 'events'>, row: number): number {
  let before = row - 1;
  while (before >= 0 && facts.step[events.siteAt(before)] >= Step.Gap) before--;
  return before;
}

// Ends calls: updates the open calls and writes what ended them to the pairing.

/** Ends the call at an index by the event in `row`; the calls above it are skipped. */
export function endCall(state: SegmentState, row: number, index: number, how: Action = Action.Return): void {
  const { open, facts } = state;
  const { rows } = state.pairing;
  const callRow = open.rowAt(index);
  rows.setAction(row, how);
  rows.setLink(row, callRow);
  rows.setLink(callRow, row);
  if (index < open.length - 1 && !splitStack(state, row, index)) skipCalls(state, row, open.cutAbove(index));
  if (facts.hasAborts) noteReturned(state, index);
  open.pop();
}

function noteReturned({ returned, open }: SegmentState, index: number): void {
  if (returned.push({ call: open.at(index), index }) > 2 * MAX_SEARCH_DEPTH) returned.splice(0, MAX_SEARCH_DEPTH);
}

/** Pairs the return in `row` with a call that the trace does not show, made by the function of the call at an index. */
export function returnTo(state: SegmentState, row: number, index: number): void {
  const { open, pairing } = state;
  pairing.rows.setAction(row, Action.ReturnTo);
  pairing.rows.setLink(row, open.rowAt(index));
  skipCalls(state, row, open.cutAbove(index));
}

/**
 * Notes the return in `row` as unmatched: its call was not seen. On a stack that has no callers, an odd one shows that
 * another stack runs.
 */
export function pairUnmatchedReturn(state: SegmentState, row: number): void {
  const { open, pairing } = state;
  const skipped = open.cutAbove(NONE);
  skipCalls(state, row, skipped);
  if (state.running.isWhole && pairing.doubtfulRows.has(row)) return runUnseen(state, row, Action.NewStack);
  state.running.unmatchedRows.push(row);
  pairing.rows.setAction(row, Action.UnmatchedReturn);
  if (skipped.length > 0 && skipped.length <= MAX_SKIPPED_ROWS)
    pairing.skippedByReturn.set(
      row,
      skipped.map((call) => call.row),
    );
}

/** A stack that was not seen before runs, by the event in `row`. */
export function runUnseen(state: SegmentState, row: number, how: Action): void {
  const { rows, stacks } = state.pairing;
  state.running = { unmatchedRows: [] };
  rows.setAction(row, how);
  rows.setLink(row, stacks.push(state.running) - 1);
}

/** Links skipped calls to the event in `row` that skips them. */
export function skipCalls(state: SegmentState, row: number, skipped: readonly OpenCall[]): void {
  const { skipped: kept, rows } = state.pairing;
  if (skipped.length === 0) return;
  state.unsureRow = row;
  const isExplained = skipped.some((call) => mayLeave(state, call)) && !isOwnReturn(state, row, skipped.at(-1));
  if (isReturn(state, row) && !isExplained) state.pairing.doubtfulRows.add(row);
  kept.add(row, skipped, (callRow) => hasTrait(state, calledIn(state, callRow), Trait.Raiser));
  for (const call of skipped) {
    rows.setLink(call.row, row);
    state.unwound.delete(call.row);
  }
}

/**
 * Parks the calls above an index as a stack of their own, if the return in `row` skips them and nothing explains that:
 * a function that is not known to switch stacks may have done so.
 */
function splitStack(state: SegmentState, row: number, index: number): boolean {
  const { open, pairing, facts, events } = state;
  if (open.length - index > MAX_SPLIT_CALLS || !isReturn(state, row)) return false;
  for (let at = index + 1; at < open.length; at++) if (mayLeave(state, open.at(at))) return false;
  state.unsureRow = row;
  const last = open.topRow();
  const firstRow = leftRowOf(state, row, open.rowAt(index));
  const calls = open.copy(index + 1);
  open.cutAbove(index);
  state.parked.park({ stack: { unmatchedRows: [] }, calls, caller: facts.fromFunction[events.siteAt(last)] });
  if (firstRow !== NONE) {
    switchBefore(state, firstRow, { backTo: open.rowAt(index), left: last });
    return true;
  }
  pairing.doubtfulRows.add(row);
  pairing.splits.set(row, last);
  return true;
}

/** As many rows are read back, without those of calls that have returned. */
const MAX_READ_BACK = 256;

/**
 * Returns the row of the first event since which the function that the return in `row` leaves has run, and that the event
 * in `callRow` called, though another function was called since; or NONE. Nothing shows how control got there: code that
 * switches stacks may be inlined where it is used.
 */
export function leftRowOf(state: SegmentState, row: number, callRow: number): number {
  const { facts, events, open, pairing } = state;
  const fn = facts.fromFunction[events.siteAt(row)];
  const last = open.topRow();
  if (fn === NONE || calledIn(state, callRow) !== fn || last === NONE || calledIn(state, last) === fn) return NONE;
  let first = row;
  for (let at = row - 1, n = 0; at > last; at--, n++) {
    if (n === MAX_READ_BACK) return NONE;
    const site = events.siteAt(at);
    if (facts.step[site] > Step.Gap) continue;
    if (facts.step[site] === Step.Return)
      at = pairing.rows.actionAt(at) === Action.Return ? pairing.rows.linkAt(at) : NONE;
    if (at <= last || facts.fromFunction[events.siteAt(at)] !== fn) break;
    first = at;
  }
  return pairing.hiddenSwitches.has(first) || pairing.hiddenSwitches.has(first - 1) ? NONE : first;
}

/** Notes a switch before the event in `row`; before that, the trace may show the jump to the other stack. */
export function switchBefore({ facts, events, pairing }: SegmentState, row: number, hidden: HiddenSwitch): void {
  const isShown = facts.step[events.siteAt(row - 1)] === Step.Jump;
  if (isShown) pairing.rows.setAction(row - 1, Action.Stay);
  pairing.hiddenSwitches.set(isShown ? row - 1 : row, hidden);
}

/** True if the function that was called last returns, but not behind that call. */
function isOwnReturn(state: SegmentState, row: number, last: OpenCall | undefined): boolean {
  const { facts, events } = state;
  return last?.kind === CallKind.Call && calledIn(state, last.row) === facts.fromFunction[events.siteAt(row)];
}

function isReturn({ facts, events }: SegmentState, row: number): boolean {
  return facts.step[events.siteAt(row)] === Step.Return;
}

/** True if the call explains that calls end without a return. */
function mayLeave(state: SegmentState, { row, kind }: OpenCall): boolean {
  const leaves = Trait.Unwinder | Trait.StackSwitcher | Trait.Panic;
  return kind !== CallKind.Call || hasTrait(state, calledIn(state, row), leaves);
}

/**
 * Ends what was entered from untraced code in an earlier `row`, as it returns (`returnRow`) to untraced code that was
 * not its caller before: it ran on a stack of its own, for all that is known.
 */
export function pairEntryFromOutside(state: SegmentState, row: number, returnRow: number): void {
  const { rows, stacks } = state.pairing;
  skipCalls(state, returnRow, state.open.cutAbove(NONE));
  const stack = { unmatchedRows: [returnRow] };
  rows.setAction(row, Action.EntryFromOutside);
  rows.setLink(row, stacks.push(stack) - 1);
  rows.setAction(returnRow, Action.UnmatchedReturn);
  state.running = stack;
}
