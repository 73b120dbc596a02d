/**
 * Whose time it is: charged to the function on top, spent in a stop, or lost, because no trace data was decoded. The thread's switches still show part of it: off its CPU the thread waited, and only
 * what it did on a CPU is lost.
 *
 * Traced code does not leave its CPU unseen: the trace stops first. So if a thread that runs is switched out, trace
 * data is missing before the switch.
 */

import { Doubt } from '../model/calls/doubts.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import { BranchKind, recordSite } from '../model/trace/branch-sites.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import type { Address } from '../model/units.js';
import { type Nanoseconds, NONE, type NodeId, type SiteId, type SymbolId } from '../model/units.js';
import type { SiteFacts } from './functions/site-facts.js';
import { Step } from './functions/site-facts.js';
import { Trait } from './functions/traits.js';
import type { Segment } from './pairing/pairing.js';
import { Action } from './pairing/pairing.js';
import type { Frame } from './stack/frame.js';
import { chargeTo, frameAt, stopNode, topFrame, topNode, topTraits } from './stack/open-frames.js';
import type { OpenStop, ReplayState } from './state.js';
import { type LastSeen, NEVER_SEEN } from './thread-replay.js';

/**
 * Follows the thread's switches in rows that contain records only. A thread that they leave without a CPU still waits
 * after them. Returns the first row whose errors are not counted yet: if the thread runs, it is lost from there on.
 */
export function followSwitches(state: ReplayState, firstRow: number, endRow: number, lastSeen: LastSeen): number {
  const { events, facts } = state;
  let row = firstRow;
  for (let at = firstRow; at < endRow; at++) {
    const step = facts.step[events.siteAt(at)] as Step;
    if (step === Step.SwitchIn) endWait(state, events.timeAt(at));
    if (!isSwitchOut(step)) continue;
    loseUntil(state, events.timeAt(at), row, at, lastSeen);
    row = at;
    beginWait(state, step);
  }
  return row;
}

/** Records a loss until a time, with perf's errors in these rows. A thread without a CPU waited until then. */
export function loseUntil(
  state: ReplayState,
  untilNs: Nanoseconds,
  firstRow: number,
  endRow: number,
  lastSeen: LastSeen,
): void {
  if (stoppedNode(state) !== NONE) endWait(state, untilNs);
  if (untilNs > state.nowNs) recordGap(state, firstRow, endRow, untilNs, lastSeen);
  else recordErrors(state, firstRow, endRow);
  chargeLost(state, untilNs);
}

/** Charges the time until then as lost. */
function chargeLost(state: ReplayState, untilNs: Nanoseconds): void {
  const { tree, log } = state;
  const ns = untilNs - state.nowNs;
  if (ns <= 0) return;
  const node = tree.child(stopNode(state), SpecialSymbol.Lost);
  tree.charge(node, ns, Doubt.Lost);
  tree.countComplete(node, ns);
  log?.stop(node);
  log?.setDoubt(Doubt.Lost);
  setNow(state, untilNs);
  log?.endStop(true);
  state.certainty.logDoubt();
}

/** Begins a wait: the thread has no CPU from now on. */
export function beginWait(state: ReplayState, step: typeof Step.SwitchOut | typeof Step.PreemptOut): void {
  if (state.facts.scope === 'user') beginStop(state, SpecialSymbol.Untraced);
  switchOut(state, step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted);
}

function endWait(state: ReplayState, untilNs: Nanoseconds): void {
  if (stoppedNode(state) !== NONE) chargeUntil(state, untilNs);
  endStop(state, true);
}

/** Records a gap from now until then, with perf's errors in these rows. */
export function recordGap(
  state: ReplayState,
  firstRow: number,
  endRow: number,
  untilNs: Nanoseconds,
  { ip, isLast }: LastSeen = NEVER_SEEN,
): void {
  const errors = countErrors(state, firstRow, endRow);
  state.lost.push({ atNs: state.nowNs, lengthNs: untilNs - state.nowNs, errors, ip, isLast });
}

/**
 * Records errors that cost the thread no time: before its first event, after its last, or while its trace was stopped.
 */
export function recordErrors(state: ReplayState, firstRow: number, endRow: number, atNs = state.nowNs): void {
  const errors = countErrors(state, firstRow, endRow);
  if (errors > 0) state.lost.push({ atNs, lengthNs: 0, errors, ...NEVER_SEEN });
}

function countErrors({ events }: ReplayState, firstRow: number, endRow: number): number {
  const error = recordSite(BranchKind.Gap);
  let count = 0;
  for (let row = firstRow; row < endRow; row++) if (events.siteAt(row) === error) count++;
  return count;
}

// Stops: time outside traced code, in a system call or otherwise untraced, on a CPU or off it.

/** Begins a stop under the function on top. `row`: the event that comes from there; NONE: there is none. */
export function beginStop(
  state: ReplayState,
  symbol: typeof SpecialSymbol.Syscall | typeof SpecialSymbol.Untraced,
  row: number = NONE,
): void {
  state.stop = open(state, stopNode(state, row), symbol, row === NONE ? NONE : state.events.siteAt(row));
  if (state.switchedOut !== NONE) state.offCpu = open(state, state.stop.node, state.switchedOut);
}

/** Ends a stop. `isSeen`: false if it ends only because the trace ends. */
export function endStop(state: ReplayState, isSeen: boolean): void {
  switchIn(state, isSeen);
  if (state.stop) count(state, state.stop, isSeen);
  state.stop = null;
}

/**
 * Switches the thread out. Switches and trace stops of one moment come in any order, so a switch before its stop is
 * only noted.
 */
export function switchOut(
  state: ReplayState,
  symbol: typeof SpecialSymbol.OffCpu | typeof SpecialSymbol.Preempted,
): void {
  switchIn(state, true);
  state.switchedOut = symbol;
  if (state.stop) state.offCpu = open(state, state.stop.node, symbol);
  else if (state.facts.scope === 'user+kernel') state.offCpu = leaveCpu(state, symbol);
}

export function switchIn(state: ReplayState, isSeen: boolean): void {
  state.switchedOut = NONE;
  const { offCpu } = state;
  state.offCpu = null;
  if (offCpu === null) return;
  count(state, offCpu, isSeen);
  if (offCpu.asideRow !== undefined) state.log?.putBack(offCpu.asideRow);
}

/** Begins the time without a CPU of the function that sleeps. The scheduler that it called is set aside meanwhile. */
function leaveCpu(state: ReplayState, symbol: SymbolId): OpenStop {
  const hidden = schedulerFrames(state);
  if (hidden === 0) return open(state, stopNode(state), symbol);
  state.log?.setAside(hidden);
  const sleeper = state.tree.parentOf(frameAt(state, state.depth - hidden).node);
  return { ...open(state, sleeper, symbol), asideRow: topFrame(state).logRow };
}

/** Returns how many frames of the scheduler on top are not shown below time without a CPU. */
function schedulerFrames({ options, depth, stack, facts }: ReplayState): number {
  if (options.scheduler === 'show') return 0;
  const scheduler = Trait.Scheduler | Trait.Kernel;
  const isScheduler = ({ fn }: Frame) => (facts.functions.traits[fn] & scheduler) === scheduler;
  let hidden = 0;
  while (hidden < depth && isScheduler(stack[depth - 1 - hidden] as Frame)) hidden++;
  return hidden === depth ? 0 : hidden;
}

/** Forgets a switch that no stop followed: traced code continues. A traced kernel runs until it switches threads. */
export function forgetSwitch(state: ReplayState): void {
  if (!state.facts.showsTaskSwitches) state.switchedOut = NONE;
}

/** Charges the time in which the thread had given its CPU away. */
export function chargeOffCpu(state: ReplayState, untilNs: Nanoseconds): void {
  beginOffCpu(state);
  if (state.options.isIdleTask) startAt(state, untilNs);
  else chargeUntil(state, untilNs);
  switchIn(state, true);
}

/** The thread has given its CPU away, for the reason that a record tells. */
export function beginOffCpu(state: ReplayState): void {
  const { switchedOut, options } = state;
  if (stoppedNode(state) === NONE && !options.isIdleTask)
    state.offCpu = leaveCpu(state, switchedOut === NONE ? SpecialSymbol.OffCpu : switchedOut);
}

/**
 * Applies a switch record: the thread leaves its CPU, or gets one. The kernel writes it before it switches threads, and
 * after: if its code is traced, the record only tells why.
 */
export function applySwitch(state: ReplayState, row: number, action: Action): void {
  if (state.facts.showsTaskSwitches) {
    if (action !== Action.SwitchIn)
      state.switchedOut = action === Action.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted;
    return;
  }
  chargeUntil(state, state.events.timeAt(row));
  if (action === Action.SwitchIn) switchIn(state, true);
  else switchOut(state, action === Action.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted);
}

function open({ tree, log, nowNs }: ReplayState, under: NodeId, symbol: SymbolId, site: SiteId = NONE): OpenStop {
  const node = tree.child(under, symbol);
  log?.stop(node, site);
  return { node, sinceNs: nowNs };
}

function count({ tree, log, nowNs }: ReplayState, { node, sinceNs }: OpenStop, isSeen: boolean): void {
  log?.endStop(isSeen);
  if (isSeen) tree.countComplete(node, nowNs - sinceNs);
  else tree.countInferred(node, nowNs - sinceNs);
}

// Charges a thread's time up to now: to the frame on top, or to the stop that the thread is in.

/** Starts charging time at this moment. */
export function startAt(state: ReplayState, timeNs: Nanoseconds): void {
  state.nowNs = timeNs;
  state.log?.begin(timeNs);
}

/** Skips to a time up to which the caller has charged. */
export function setNow(state: ReplayState, timeNs: Nanoseconds): void {
  state.nowNs = timeNs;
  if (state.log) state.log.nowNs = timeNs;
}

/** Charges an interval in which control moved from one function or stack to another at an unknown moment. */
export function chargeHiddenMove(state: ReplayState, timeNs: Nanoseconds, move: Doubt): void {
  state.certainty.setMove(move);
  chargeUntil(state, timeNs);
  state.certainty.setMove(Doubt.None);
}

/** Charges the time from the last event until now. In a stub it is held back until it is known where the stub leads. */
export function chargeUntil(state: ReplayState, timeNs: Nanoseconds): void {
  if (isIdle(state)) return startAt(state, timeNs);
  const ns = timeNs - state.nowNs;
  setNow(state, timeNs);
  const node = stoppedNode(state);
  if (node !== NONE) chargeTo(state, node, ns);
  else if (state.depth > 0 && topTraits(state) & Trait.Stub) topFrame(state).heldNs += ns;
  else chargeTo(state, topNode(state), ns);
}

/**
 * True if the CPU has nothing to do: its idle task halts it, or another thread runs. That is no time of the idle task: it
 * is observed only while it works.
 */
function isIdle(state: ReplayState): boolean {
  if (!state.options.isIdleTask) return false;
  return stoppedNode(state) !== NONE || (state.depth > 0 && (topTraits(state) & Trait.Halt) !== 0);
}

/** Returns the node that time is charged to while the thread is stopped or off its CPU; NONE while traced code runs. */
export function stoppedNode({ offCpu, stop }: ReplayState): number {
  return offCpu?.node ?? stop?.node ?? NONE;
}

// Up to which event a thread is known, and at which address it was then.

export function isSwitchOut(step: Step): step is typeof Step.SwitchOut | typeof Step.PreemptOut {
  return step === Step.SwitchOut || step === Step.PreemptOut;
}

/** Returns the row after the last branch of a range. */
export function rowAfterBranches(firstRow: number, endRow: number, events: ThreadEvents, facts: SiteFacts): number {
  let row = endRow;
  while (row > firstRow && facts.step[events.siteAt(row - 1)] >= Step.Gap) row--;
  return row;
}

/**
 * Returns the row from which on the thread is unknown, in a segment before a loss: after its last branch, if it was
 * running then; else from its own error on, as perf names the thread that ran. Kernel code is switched out while it
 * runs: there only an error shows a loss.
 */
export function knownEnd({ firstRow, endRow }: Segment, events: ThreadEvents, facts: SiteFacts): number {
  const row = rowAfterBranches(firstRow, endRow, events, facts);
  const isStopped = row > firstRow && facts.step[events.siteAt(row - 1)] >= Step.End;
  if (!isStopped) return facts.scope === 'user' ? row : endRow;
  let errorRow = row;
  while (errorRow < endRow && facts.step[events.siteAt(errorRow)] !== Step.Gap) errorRow++;
  return errorRow;
}

/** Returns the address at which the thread was after the branch before a row. */
export function addressBefore(row: number, events: ThreadEvents, { to, from }: SiteFacts): Address {
  return row === 0 ? Number.NaN : to[events.siteAt(row - 1)] || from[events.siteAt(row - 1)];
}

/**
 * Returns the row from which on a thread is lost that runs after its last branch (in the row before `row`), or NONE. A
 * record shows that trace data is missing, or nothing follows a trace start. For kernel code only an error shows it.
 */
export function firstLostRow(row: number, events: ThreadEvents, { step, scope }: SiteFacts): number {
  const isOfKernel = scope !== 'user' && row > 0;
  for (let at = row; at < events.length; at++) {
    const own = step[events.siteAt(at)] as Step;
    if (own === Step.Gap) return isOfKernel ? at : row;
    if (!isOfKernel && isSwitchOut(own)) return row;
  }
  return !isOfKernel && row > 0 && step[events.siteAt(row - 1)] === Step.Start ? row : NONE;
}
