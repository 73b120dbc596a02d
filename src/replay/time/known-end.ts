/**
 * Up to which event is a thread known, and where was it then?
 */
import { BranchKind, siteOfRecord } from '../../model/trace/branch-sites.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Address, NONE } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import type { Segment } from '../pairing/pairing.js';

export function isSwitchOut(step: Step): step is typeof Step.SwitchOut | typeof Step.PreemptOut {
  return step === Step.SwitchOut || step === Step.PreemptOut;
}

/** The first of some rows behind which there is no branch. */
export function rowAfterBranches(firstRow: number, endRow: number, { site }: ThreadEvents, facts: SiteFacts): number {
  let row = endRow;
  while (row > firstRow && facts.step[site[row - 1]] >= Step.Gap) row--;
  return row;
}

/**
 * Behind which row of a segment that something is lost behind the thread is not known: behind its last branch, if that leaves it
 * running. In the kernel threads are switched out as they run: there nothing but an error tells.
 */
export function knownEnd({ firstRow, endRow }: Segment, events: ThreadEvents, facts: SiteFacts): number {
  const row = rowAfterBranches(firstRow, endRow, events, facts);
  const isStopped = row > firstRow && facts.step[events.site[row - 1]] >= Step.End;
  return isStopped || facts.scope !== 'user' ? endRow : row;
}

/** Where the thread was behind the branch before a row. */
export function addressBefore(row: number, { site }: ThreadEvents, { to, from }: SiteFacts): Address {
  return row === 0 ? Number.NaN : to[site[row - 1]] || from[site[row - 1]];
}

/**
 * From which row on a thread that runs behind its last branch, in the row before `row`, is lost; NONE: it is not. A record shows
 * that something is missing, or nothing follows its trace start. In the kernel an error alone shows it.
 */
export function firstLostRow(row: number, { site, length }: ThreadEvents, { step, scope }: SiteFacts): number {
  const gap = siteOfRecord(BranchKind.Gap);
  if (scope !== 'user' && row > 0) {
    const error = site.subarray(row, length).indexOf(gap);
    return error === -1 ? NONE : row + error;
  }
  const shows = (own: number) => own === gap || isSwitchOut(step[own] as Step);
  const isShown = site.subarray(row, length).some(shows) || (row > 0 && step[site[row - 1]] === Step.Start);
  return isShown ? row : NONE;
}
