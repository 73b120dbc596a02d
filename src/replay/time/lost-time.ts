/**
 * Time without decoded trace data. The thread's switches still show part of it: off its CPU the thread waited, and only
 * what it did on a CPU is lost.
 *
 * Traced code does not leave its CPU unseen: the trace stops first. So if a thread that runs is switched out, trace
 * data is missing before the switch.
 */

import { Certainty } from '../../model/calls/call-log.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import { BranchKind, recordSite } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { Step } from '../functions/site-facts.js';
import { stopNode } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { chargeUntil, setNow, stoppedNode } from './charge.js';
import { isSwitchOut } from './known-end.js';
import { beginStop, endStop, switchOut } from './stops.js';
import { type LastSeen, NEVER_SEEN } from './thread-gaps.js';

/**
 * Follows the thread's switches in rows that contain records only. A thread that they leave without a CPU still waits
 * after them. Returns the first row whose errors are not counted yet: if the thread runs, it is lost from there on.
 */
export function followSwitches(state: ReplayState, firstRow: number, endRow: number, lastSeen: LastSeen): number {
  const { events, facts } = state;
  let row = firstRow;
  for (let at = firstRow; at < endRow; at++) {
    const step = facts.step[events.site[at]] as Step;
    if (step === Step.SwitchIn) endWait(state, events.timeNs[at]);
    if (!isSwitchOut(step)) continue;
    loseUntil(state, events.timeNs[at], row, at, lastSeen);
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
  tree.charge(node, ns, true);
  tree.countComplete(node, ns);
  log?.stop(node);
  log?.setCertainty(Certainty.Unconfirmed);
  setNow(state, untilNs);
  log?.endStop(true);
  state.certainty.logCertainty();
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
  return events.site.subarray(firstRow, endRow).reduce((count, site) => count + (site === error ? 1 : 0), 0);
}
