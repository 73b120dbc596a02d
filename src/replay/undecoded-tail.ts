/**
 * A thread's end of which nothing could be decoded: its last branch leaves it running, and its records say that it went on.
 *
 * Traced code does not leave its processor unseen: the trace stops first. So where a thread that runs is switched out, or perf
 * failed, and no branch follows, what it did since its last branch is lost.
 */
import { BranchKind, siteOfRecord } from '../model/branch-sites.js';
import type { ThreadEvents } from '../model/thread-events.js';
import { type SiteFacts, Step } from './site-facts.js';

/** The first row behind the last branch. */
export function tailRow({ site, length }: ThreadEvents, { step }: SiteFacts): number {
  let row = length;
  while (row > 0 && step[site[row - 1]] >= Step.Gap) row--;
  return row;
}

/** `row`: of the tail, of a thread that ran there: a record shows that something is missing, or nothing follows its trace start. */
export function isUndecoded({ site, length }: ThreadEvents, { step, scope }: SiteFacts, row: number): boolean {
  if (scope !== 'user') return false; // who is in the kernel is switched out there
  const gap = siteOfRecord(BranchKind.Gap);
  const shows = (own: number) => own === gap || step[own] === Step.SwitchOut || step[own] === Step.PreemptOut;
  return site.subarray(row, length).some(shows) || (row > 0 && step[site[row - 1]] === Step.Start);
}
