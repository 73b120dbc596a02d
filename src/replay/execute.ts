/**
 * Executes the actions that pairing decided, event by event: charges the time before the event to the frame on top,
 * then applies the action to the stack.
 */

import type { CallLogBuilder } from '../model/calls/call-log.js';
import { Doubt } from '../model/calls/doubts.js';
import { Inference, UNWOUND } from '../model/profile/profile.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type FunctionId, NONE } from '../model/units.js';
import { orNameless } from './functions/function-table.js';
import { Step } from './functions/site-facts.js';
import { Trait } from './functions/traits.js';
import { pushOtherStack } from './losses/first-stack.js';
import type { Head } from './module-memory.js';
import {
  Action,
  ActionFlag,
  actionOf,
  isRecord,
  isStop,
  isTraceStart,
  type RecordAction,
  type StackSwitch,
} from './pairing/pairing.js';
import { rowOfBranchBefore } from './pairing/segment-state.js';
import type { Stack } from './pairing/stacks.js';
import type { ReplayModule } from './replay-module.js';
import { endSignalTail, jumpTo, syncTo } from './stack/hidden-jumps.js';
import { addAlias, endOfLevel, findBelow, isTop, jump, levelOfCall, levelOfReturn, topBefore } from './stack/levels.js';
import {
  addFrame,
  closeAbove,
  closeTop,
  frameAt,
  pushCall,
  pushOpen,
  returnFrom,
  topFrame,
  topTraits,
} from './stack/open-frames.js';
import { countResumption, endStacks, goBackTo, goOnWith, leaveStack, splitStack } from './stack/switch-stacks.js';
import type { ReplayState } from './state.js';
import {
  applySwitch,
  beginStop,
  chargeHiddenMove,
  chargeOffCpu,
  chargeUntil,
  endStop,
  forgetSwitch,
  recordErrors,
  setNow,
  stoppedNode,
} from './time.js';
import {
  FRAME_BYTES,
  HEAD_DEPTH,
  HEAD_DOUBT,
  HEAD_DOUBTFUL_COUNT,
  HEAD_DURATION_COUNT,
  HEAD_HIDDEN_NS,
  HEAD_INDEX_LENGTH,
  HEAD_INFERRED_COUNT,
  HEAD_LOG_COUNT,
  HEAD_LOG_FAR_COUNT,
  HEAD_LOG_LAST_NS,
  HEAD_LOG_LENGTH,
  HEAD_NOW_NS,
  HEAD_RENAMES_COUNT,
  HEAD_RULES,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_TREE_LENGTH,
  LISTED_BYTES,
  LISTED_ID,
  LISTED_NS,
  RULE_DURATIONS,
  RULE_LOG,
  RULE_NO_JUMPS,
  RULE_NO_STOPS,
  RULE_REPLACE,
  STOP_FULL,
} from './wasm/layout.js';

/** Executes the events of a segment, or of a part of it. */
export function executeRows(state: ReplayState, firstRow: number, endRow: number): void {
  let row = executeWhileSimple(state, firstRow, endRow);
  while (row < endRow) {
    executeRow(state, row);
    row = executeWhileSimple(state, row + 1, endRow);
  }
}

/** Has the module execute simple actions, if there is one, and returns the first row that is not simple. */
function executeWhileSimple(state: ReplayState, firstRow: number, endRow: number): number {
  const { module } = state;
  if (module === null || state.options.isIdleTask || stoppedNode(state) !== NONE) return firstRow; // the module knows no idle time
  const row = executeInModule(state, module, firstRow, endRow);
  if (row === firstRow) return row;
  forgetSwitch(state);
  return row;
}

function executeRow(state: ReplayState, row: number): void {
  state.watcher?.atRow(row);
  const code = state.pairing.rows.actionAt(row);
  const action = actionOf(code);
  if (!isRecord(action)) return executeBranch(state, row, code, action);
  if (action === Action.Gap) recordErrors(state, row, row + 1, state.events.timeAt(row));
  else if (action !== Action.Exec) applySwitch(state, row, action);
}

type BranchAction = Exclude<Action, RecordAction>;

/** True for the first instruction of a retpoline: until then, the function ran that jumped there. */
function beginsRetpoline({ facts }: ReplayState, site: number): boolean {
  const fn = facts.fromFunction[site];
  const { traits, start } = facts.functions;
  return fn !== NONE && (traits[fn] & Trait.Retpoline) !== 0 && facts.from[site] === start[fn];
}

/**
 * Executes a branch: follows hidden switches and jumps that come before it, charges the time up to it, ends the stop
 * that it ends, applies its action, and begins a stop if the trace stops after it.
 */
function executeBranch(state: ReplayState, row: number, code: number, action: BranchAction): void {
  const { events, facts } = state;
  const site = events.siteAt(row);
  // Of a jump to another stack: the stack pointer changes before it.
  const isSwitch = (code & ActionFlag.HiddenSwitch) !== 0 && action === Action.Stay && facts.step[site] === Step.Jump;
  const from = (isSwitch ? facts.toFunction : facts.fromFunction)[site];
  const target = orNameless(facts.functions, facts.toFunction[site]);
  const hasSwitched =
    (code & ActionFlag.HiddenSwitch) !== 0 && applyHiddenSwitch(state, row, orNameless(facts.functions, from));
  if (state.depth === 0 && action !== Action.KernelStart)
    pushRoot(state, isTraceStart(action) ? target : orNameless(facts.functions, from));
  if (comesBack(state, row)) chargeOffCpu(state, events.timeAt(row));
  if (beginsRetpoline(state, site)) chargeUntil(state, events.timeAt(row));
  const hasJumped = !isTraceStart(action) && syncTo(state, from, row);
  const switchesStacks = action === Action.SwitchBack || action === Action.NewStack; // somewhere since the last event
  if (hasJumped || hasSwitched) chargeHiddenMove(state, events.timeAt(row), Doubt.HiddenJump);
  else if (switchesStacks) chargeHiddenMove(state, events.timeAt(row), Doubt.StackChoice);
  else chargeUntil(state, events.timeAt(row));
  if (stoppedNode(state) !== NONE) endStop(state, true);
  else if (!isStop(code)) forgetSwitch(state);
  if (isTraceStart(action)) endSignalTail(state, target);
  execute(state, row, action, target);
  if (state.depth > 0 && state.pairing.doubtfulRows.has(row)) state.certainty.mark(topFrame(state), Doubt.OddReturn);
  if (!isStop(code)) return;
  const symbol = code & ActionFlag.StopsInSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced;
  beginStop(state, symbol, action === Action.Stay ? row : NONE);
}

/**
 * Applies a branch's action to the stack; see `Action` for what each one means. `target`: the function the event goes
 * to.
 */
function execute(state: ReplayState, row: number, action: BranchAction, target: FunctionId): void {
  const { pairing, facts, events } = state;
  const link = pairing.rows.linkAt(row);
  switch (action) {
    case Action.Stay:
    case Action.Start:
      return;
    case Action.Call:
    case Action.SignalEntry:
    case Action.KernelStart:
      return pushCall(state, target, row);
    case Action.HandlerEntry:
      closeKernel(state);
      return pushCall(state, target, row);
    case Action.LeaveKernel:
      return closeKernel(state);
    case Action.NewProgram:
      endStacks(state);
      return beginStack(state, pairing.stacks[link] as Stack, row, target);
    case Action.CallOnOther:
      callOnOther(state, pairing.callsOnOther.get(row) ?? null);
      pushCall(state, target, row);
      return countResumption(state);
    case Action.Return:
    case Action.StartAfterReturn:
      if (pairing.splits.has(row)) splitStack(state, link, pairing.splits.get(row) as number);
      returnFromCall(state, link, action);
      return landIn(state, target);
    case Action.ReturnTo:
      return returnTo(state, link, orNameless(facts.functions, facts.fromFunction[events.siteAt(row)]), target);
    case Action.UnmatchedReturn:
      return returnUnmatched(state, row, target, action);
    case Action.SignalReturn:
      returnFromCall(state, link, action);
      state.signalTail = target;
      return;
    case Action.JumpByReturn:
      return jump(state, target, NONE);
    case Action.SwitchBack:
      return switchBack(state, pairing.switches[link] as StackSwitch, target);
    case Action.EntryFromOutside: // closes what an earlier entry from outside opened
      closeAbove(state, -1, Inference.Unwound);
      return beginStack(state, pairing.stacks[link] as Stack, row, target);
    case Action.NewStack:
      leaveStack(state, (pairing.stacks[link] as Stack).waitsAt);
      return beginStack(state, pairing.stacks[link] as Stack, row, target);
    case Action.Reopen:
      return reopen(state, pairing.aborts[link] as number[]);
    case Action.Resume: // on VM exit, the same code may carry another label
      return landIn(state, target);
    case Action.Jump:
      return jumpTo(state, target, facts.toEntry[events.siteAt(row)] === 1, row);
  }
}

/** Closes all frames of the kernel. */
function closeKernel(state: ReplayState): void {
  while (state.depth > 0 && topTraits(state) & Trait.Kernel) closeTop(state, UNWOUND);
}

/**
 * True if the event in `row` is the first one after the thread had given its CPU away: it happens in the function that
 * does so, which was not known to run, or was only just entered.
 */
function comesBack(state: ReplayState, row: number): boolean {
  const { facts, events } = state;
  if (!facts.showsTaskSwitches) return false;
  const fn = facts.fromFunction[events.siteAt(row)];
  if (fn === NONE || !(facts.functions.traits[fn] & Trait.TaskSwitch) || state.depth === 0) return false;
  const rowBefore = rowOfBranchBefore(state, row);
  if (rowBefore === NONE) return false;
  const before = events.siteAt(rowBefore);
  return !isTop(state, fn) || (facts.toEntry[before] === 1 && facts.toFunction[before] === fn);
}

// Switches the thread to another of its stacks.

/** The event in `row` begins a stack, in the function `first`. */
function beginStack(state: ReplayState, stack: Stack, row: number, first: FunctionId): void {
  const { events, facts } = state;
  const isEntry = facts.toEntry[events.siteAt(row)] === 1;
  pushOtherStack(state, stack, row, first, isEntry);
  if (!isEntry || stack.isGuess) markRoot(state);
  countResumption(state);
}

/** Goes on in the function `fn` of a parked stack. */
function switchBack(state: ReplayState, change: StackSwitch, fn: FunctionId): void {
  if (!goOnWith(state, change)) return;
  if (change.isJump && state.depth > 0 && !isTop(state, fn)) jump(state, fn, NONE);
  else landIn(state, fn);
}

/** Pushes the function that runs on a stack of which no more is known. */
function pushRoot(state: ReplayState, fn: FunctionId): void {
  const { tree, facts } = state;
  if (tree.symbolOf(state.base) === facts.functions.symbol[fn]) state.base = tree.parentOf(state.base);
  pushOpen(state, fn, Inference.CutByGap);
}

/** Goes to the stack that the next call runs on. */
function callOnOther(state: ReplayState, change: StackSwitch | null): void {
  if (change === null) leaveStack(state);
  else goOnWith(state, change);
}

/** Switches to another stack, on which `fn` runs, if the thread did so before the event in `row`. False if it did not. */
function applyHiddenSwitch(state: ReplayState, row: number, fn: FunctionId): boolean {
  const hidden = state.pairing.hiddenSwitches.get(row);
  if (hidden === undefined) return false;
  if ('back' in hidden) {
    const isDone = goOnWith(state, hidden.back);
    if (state.depth === 0) pushRoot(state, fn);
    return isDone;
  }
  if ('left' in hidden) return goBackTo(state, hidden.backTo, hidden.left, fn);
  leaveStack(state, hidden.to.waitsAt);
  pushOtherStack(state, hidden.to, row, fn, false);
  countResumption(state);
  const { from, functions } = state.facts;
  const isNearStart = from[state.events.siteAt(row)] - functions.start[fn] < NEAR_BYTES;
  if (!isNearStart || hidden.to.isGuess) markRoot(state);
  return true;
}

/** An event at most this far behind the start of a function shows that the function may have begun right before. */
const NEAR_BYTES = 64;

/** Marks the stack that was seen first amid a function: what called its lowest known function may be unknown. */
function markRoot(state: ReplayState): void {
  state.certainty.mark(frameAt(state, 0), Doubt.UnseenStart);
}

/**
 * Applies returns to the stack, as pairing determined them.
 *
 * Returns from the level that the event in `callRow` called.
 */
function returnFromCall(state: ReplayState, callRow: number, action: Action): void {
  returnFrom(state, levelOfCall(state, callRow), endingOfSkipped(state, action));
}

/**
 * Adds the target as an alias of the caller if it has another label. The return address proves that it is the caller's
 * own code: ld.so's _start runs on into _dl_start_user.
 */
function landIn(state: ReplayState, target: FunctionId): void {
  if (state.depth === 0) pushRoot(state, target);
  else if (topFrame(state).fn !== target) addAlias(state, target);
}

/**
 * Returns how skipped calls end: here (UNWOUND), if the event is a return. At a trace start they may have ended before,
 * and a function that switches stacks may resume them.
 */
function endingOfSkipped(state: ReplayState, action: Action): number {
  return !isTraceStart(action) && (topTraits(state) & Trait.StackSwitcher) === 0 ? UNWOUND : Inference.Unwound;
}

/** Returns from a call that the trace does not show, to the level that the event in `callRow` called. */
function returnTo(state: ReplayState, callRow: number, returning: FunctionId, target: FunctionId): void {
  const index = levelOfCall(state, callRow);
  if (index === NONE) return;
  const below = findBelow(state, target, state.depth, index);
  const landing = below === NONE ? endOfLevel(state, index) - 1 : below;
  if (state.depth === landing + 1) pushOpen(state, returning, Inference.HiddenJump); // it had called itself
  closeAbove(state, landing, Inference.HiddenJump);
  state.certainty.mark(topFrame(state), Doubt.Landing);
}

/** Applies an unmatched return: its caller was pushed with the first stack, or is below everything that is known. */
function returnUnmatched(state: ReplayState, row: number, target: FunctionId, action: Action): void {
  const index = levelOfReturn(state, row);
  if (index > 0) return returnFrom(state, index, endingOfSkipped(state, action));
  closeAbove(state, -1, NONE);
  pushOpen(state, target, Inference.CutByGap);
}

/** Reopens calls that had returned in an aborted transaction. */
function reopen(state: ReplayState, callRows: readonly number[]): void {
  const { toFunction, functions } = state.facts;
  closeAbove(state, topBefore(state, callRows[0] as number), Inference.Unwound);
  for (const row of callRows) {
    const fn = orNameless(functions, toFunction[state.events.siteAt(row)]);
    pushCall(state, fn, row, Inference.Unwound);
  }
}

/** An event adds up to three nodes, and two frames. */
const SPARE_NODES = 4;
const SPARE_FRAMES = 2;

// Has the module execute simple actions. It works on the tree and the stack in its memory; what else it reads and
// changes is handed over before and taken back after.

/** Executes rows until one needs the general rules, and returns that row. */
function executeInModule(state: ReplayState, module: ReplayModule, firstRow: number, endRow: number): number {
  const { head, calls } = module;
  handOver(state, head);
  let row = firstRow;
  let isDone = row >= endRow;
  while (!isDone) {
    const end = Math.min(endRow, module.loadEvents(state.events, row, state.pairing.rows.pages));
    const stoppedAt = calls.execute(row, end);
    countListed(state, module);
    if (state.log) writeLog(state.log, module, state.events);
    if (head.get(HEAD_STOP) === STOP_FULL) makeSpace(state, head);
    else isDone = stoppedAt < end || stoppedAt === endRow;
    row = stoppedAt;
  }
  takeBack(state, head);
  return row;
}

function handOver(state: ReplayState, head: Head): void {
  const { frames } = state;
  head.set(HEAD_DEPTH, state.depth);
  head.setNs(HEAD_NOW_NS, state.nowNs);
  head.set(HEAD_TREE_LENGTH, state.tree.length);
  head.set(HEAD_INDEX_LENGTH, state.frameIndex.length);
  head.set(HEAD_STACK_LIMIT, Math.floor(frames.ints.byteLength / FRAME_BYTES));
  head.set(HEAD_DOUBT, state.certainty.current);
  head.set(HEAD_RULES, rulesOf(state));
  head.setNs(HEAD_HIDDEN_NS, state.hiddenNs);
  head.set(HEAD_LOG_LENGTH, state.log?.length ?? 0);
  head.setNs(HEAD_LOG_LAST_NS, state.log?.lastNs ?? 0);
}

function rulesOf({ tree, log, options, signalTail, switchedOut }: ReplayState): number {
  return (
    (tree.durations ? RULE_DURATIONS : 0) |
    (options.tailCalls === 'replace' ? RULE_REPLACE : 0) |
    (log ? RULE_LOG : 0) |
    (signalTail !== NONE ? RULE_NO_JUMPS : 0) |
    (switchedOut !== NONE ? RULE_NO_STOPS : 0)
  );
}

function takeBack(state: ReplayState, head: Head): void {
  state.depth = head.get(HEAD_DEPTH);
  setNow(state, head.getNs(HEAD_NOW_NS));
  state.tree.length = head.get(HEAD_TREE_LENGTH);
  state.frameIndex.length = head.get(HEAD_INDEX_LENGTH);
  state.hiddenNs = head.getNs(HEAD_HIDDEN_NS);
  while (state.stack.length < state.depth) addFrame(state);
}

/** Makes space for the nodes and the frame of at least one more event. */
function makeSpace(state: ReplayState, head: Head): void {
  takeBack(state, head);
  state.tree.reserve(SPARE_NODES);
  if (state.depth + SPARE_FRAMES > head.get(HEAD_STACK_LIMIT)) state.frames.grow();
  handOver(state, head);
}

/** Counts what the module has listed. */
function countListed({ tree, inferred: counters, certainty }: ReplayState, module: ReplayModule): void {
  const { head, durations, inferred, doubtful } = module;
  tree.durations?.addPairs(durations, head.get(HEAD_DURATION_COUNT));
  const jumpedTo = head.get(HEAD_INFERRED_COUNT);
  for (let at = 0; at < LISTED_BYTES * jumpedTo; at += LISTED_BYTES)
    tree.countInferred(inferred.ints[(at + LISTED_ID) >> 2], inferred.floats[(at + LISTED_NS) >> 3]);
  counters.HiddenJump += jumpedTo;
  const doubtfulEnd = LISTED_BYTES * head.get(HEAD_DOUBTFUL_COUNT);
  for (let at = 0; at < doubtfulEnd; at += LISTED_BYTES)
    tree.countDoubt(doubtful.ints[(at + LISTED_ID) >> 2], doubtful.floats[(at + LISTED_NS) >> 3], certainty.current);
}

/** Appends to the log what the module has written for it. */
function writeLog(log: CallLogBuilder, { head, logRows, renames }: ReplayModule, events: ThreadEvents): void {
  const firstRow = log.length;
  const rows = head.get(HEAD_LOG_COUNT);
  log.appendAll(logRows, rows, head.get(HEAD_LOG_FAR_COUNT), head.getNs(HEAD_LOG_LAST_NS));
  for (let row = 0; log.hasPlaces && row < rows; row++) {
    const event = logRows.event[row];
    if (event !== NONE) log.setPlace(firstRow + row, events.siteAt(event));
  }
  const renamed = LISTED_BYTES * head.get(HEAD_RENAMES_COUNT);
  for (let at = 0; at < renamed; at += LISTED_BYTES)
    log.rename(renames.floats[(at + LISTED_NS) >> 3], renames.ints[(at + LISTED_ID) >> 2]);
  head.set(HEAD_LOG_LENGTH, log.length);
}
