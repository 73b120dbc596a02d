/**
 * Time of which nothing was decoded. The thread's switches tell of it all the same: off its processor the thread waited, and only what it
 * did on its processor is lost.
 *
 * Traced code does not leave its processor unseen: the trace stops first. So of a thread that runs and is switched out, something
 * is lost before that.
 */

import { Certainty } from '../../model/calls/call-log.js';
import { SpecialSymbol } from '../../model/names/symbol-table.js';
import { BranchKind, siteOfRecord } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { Step } from '../functions/site-facts.js';
import { stopNode } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { chargeUntil, setNow, stoppedNode } from './charge.js';
import { isSwitchOut } from './known-end.js';
import { beginStop, endStop, switchOut } from './stops.js';
import { type LastSeen, NEVER_SEEN } from './thread-gaps.js';

/**
 * The thread's switches in rows that hold records alone. A thread that they leave without a processor still waits behind them.
 * Returns the first row whose errors are not told yet: it is lost since then, if it runs.
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

/** Perf's errors about that stand in these rows, if there are any. A thread without a processor has waited until then. */
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

/** Until then nothing is known. */
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

/** The thread has no processor from now on. */
export function beginWait(state: ReplayState, step: typeof Step.SwitchOut | typeof Step.PreemptOut): void {
  if (state.facts.scope === 'user') beginStop(state, SpecialSymbol.Untraced);
  switchOut(state, step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted);
}

function endWait(state: ReplayState, untilNs: Nanoseconds): void {
  if (stoppedNode(state) !== NONE) chargeUntil(state, untilNs);
  endStop(state, true);
}

/** From now until then nothing is known; perf's errors about it stand in these rows, if there are any. */
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

/** Errors that cost the thread nothing: before its first event, behind the last, or while its trace was stopped. */
export function recordErrors(state: ReplayState, firstRow: number, endRow: number, atNs = state.nowNs): void {
  const errors = countErrors(state, firstRow, endRow);
  if (errors > 0) state.lost.push({ atNs, lengthNs: 0, errors, ...NEVER_SEEN });
}

function countErrors({ events }: ReplayState, firstRow: number, endRow: number): number {
  const error = siteOfRecord(BranchKind.Gap);
  return events.site.subarray(firstRow, endRow).reduce((count, site) => count + (site === error ? 1 : 0), 0);
}
