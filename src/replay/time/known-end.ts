/**
 * Determines up to which event a thread is known, and at which address it was then.
 */
import { BranchKind, recordSite } from '../../model/trace/branch-sites.js';
import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type Address, NONE } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import type { Segment } from '../pairing/pairing.js';

export function isSwitchOut(step: Step): step is typeof Step.SwitchOut | typeof Step.PreemptOut {
  return step === Step.SwitchOut || step === Step.PreemptOut;
}

/** Returns the row after the last branch of a range. */
export function rowAfterBranches(firstRow: number, endRow: number, { site }: ThreadEvents, facts: SiteFacts): number {
  let row = endRow;
  while (row > firstRow && facts.step[site[row - 1]] >= Step.Gap) row--;
  return row;
}

/**
 * Returns the row from which on the thread is unknown, in a segment before a loss: after its last branch, if it was
 * running then. Kernel code is switched out while it runs: there only an error shows a loss.
 */
export function knownEnd({ firstRow, endRow }: Segment, events: ThreadEvents, facts: SiteFacts): number {
  const row = rowAfterBranches(firstRow, endRow, events, facts);
  const isStopped = row > firstRow && facts.step[events.site[row - 1]] >= Step.End;
  return isStopped || facts.scope !== 'user' ? endRow : row;
}

/** Returns the address at which the thread was after the branch before a row. */
export function addressBefore(row: number, { site }: ThreadEvents, { to, from }: SiteFacts): Address {
  return row === 0 ? Number.NaN : to[site[row - 1]] || from[site[row - 1]];
}

/**
 * Returns the row from which on a thread is lost that runs after its last branch (in the row before `row`), or NONE. A
 * record shows that trace data is missing, or nothing follows a trace start. For kernel code only an error shows it.
 */
export function firstLostRow(row: number, { site, length }: ThreadEvents, { step, scope }: SiteFacts): number {
  const gap = recordSite(BranchKind.Gap);
  if (scope !== 'user' && row > 0) {
    const error = site.subarray(row, length).indexOf(gap);
    return error === -1 ? NONE : row + error;
  }
  const shows = (own: number) => own === gap || isSwitchOut(step[own] as Step);
  const isShown = site.subarray(row, length).some(shows) || (row > 0 && step[site[row - 1]] === Step.Start);
  return isShown ? row : NONE;
}
