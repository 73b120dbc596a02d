/**
 * What a thread lost, for the quality of the profile.
 */
import { BranchKind, siteOfRecord } from '../../model/branch-sites.js';
import type { ThreadEvents } from '../../model/thread-events.js';
import type { Address, Nanoseconds } from '../../model/units.js';

/** A stretch of which nothing is known. */
export interface LostStretch {
  readonly atNs: Nanoseconds;
  readonly lengthNs: Nanoseconds;
  /** Where the thread was last; NaN: it was never seen. */
  readonly ip: Address;
  /** It is not seen again: nothing more of it could be decoded. */
  readonly isLast: boolean;
  /** How many errors of perf lie in it; 0: perf said nothing. */
  readonly errors: number;
  /** Of what is looked at. Default: yes. */
  readonly isInside?: boolean;
}

export class LostStretches {
  readonly stretches: LostStretch[] = [];
  private readonly events: ThreadEvents;

  constructor(events: ThreadEvents) {
    this.events = events;
  }

  /** Between two times nothing is known; perf's errors about it stand in these rows, if there are any. */
  note(
    firstRow: number,
    endRow: number,
    atNs: Nanoseconds,
    untilNs: Nanoseconds,
    ip: Address = Number.NaN,
    isLast = false,
  ): void {
    this.stretches.push({ atNs, lengthNs: untilNs - atNs, errors: this.countErrors(firstRow, endRow), ip, isLast });
  }

  /** Errors that cost the thread nothing: before its first event, behind the last, or while its trace was stopped. */
  noteErrors(firstRow: number, endRow: number, atNs: Nanoseconds): void {
    if (this.countErrors(firstRow, endRow) > 0) this.note(firstRow, endRow, atNs, atNs);
  }

  private countErrors(firstRow: number, endRow: number): number {
    const error = siteOfRecord(BranchKind.Gap);
    return this.events.site.subarray(firstRow, endRow).reduce((count, site) => count + (site === error ? 1 : 0), 0);
  }
}
