/**
 * Records when the calls of a function were and how long they took: counts in a grid, however many there are, and a list
 * of the longest.
 */

import { isComplete } from '../../model/profile/profile.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';

/** More calls than this are counted in the grid only. */
export const MAX_LISTED_CALLS = 4096;

export interface TimedCall {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  /** Of an inferred call: how long it lasted at least. */
  readonly durationNs: Nanoseconds;
  /** NONE: it returned; UNWOUND; else an `Inference`. */
  readonly ending: number;
}

/** The calls in a cell of the grid (below). */
export interface TimeCell {
  readonly column: number;
  readonly row: number;
  readonly calls: number;
  readonly inferred: number;
}

/** Plain data. */
export interface TimedCalls {
  readonly bounds: Bounds;
  /** Those with calls, by column, then row. */
  readonly cells: readonly TimeCell[];
  /** At most `MAX_LISTED_CALLS`: longest first, then earliest, then by tid. */
  readonly listed: readonly TimedCall[];
}

interface ListedCall extends RankedCall {
  readonly ending: number;
}

/** Counts the calls of one thread. */
export class TimedCallsBuilder {
  private readonly grid = new CallGrid();
  private readonly longest = new LongestCalls<ListedCall>(MAX_LISTED_CALLS);

  constructor(private readonly bounds: Bounds) {}

  /** `row`: of the log, which orders calls that are equal otherwise. */
  add(row: number, entryNs: Nanoseconds, durationNs: Nanoseconds, ending: number): void {
    const startNs = Math.max(entryNs, this.bounds.startNs);
    this.grid.add(timeColumn(this.bounds, startNs), durationRow(durationNs), 1, isComplete(ending) ? 0 : 1);
    this.longest.add({ row, entryNs: startNs, durationNs, ending });
  }

  build(tid: Tid): TimedCalls {
    const { bounds, grid, longest } = this;
    const listed = longest.build().map(({ entryNs: startNs, durationNs, ending }) => {
      return { tid, startNs, durationNs, ending };
    });
    return { bounds, cells: grid.build(), listed };
  }
}

/** Merges what threads recorded, added in any order. */
export class TimedCallsSum {
  private readonly grid = new CallGrid();
  private listed: TimedCall[] = [];
  private bounds: Bounds | null = null;

  /** `shiftNs`: is subtracted from all times. */
  add({ bounds, cells, listed }: TimedCalls, shiftNs: Nanoseconds): void {
    this.bounds = { startNs: bounds.startNs - shiftNs, endNs: bounds.endNs - shiftNs };
    for (const { column, row, calls, inferred } of cells) this.grid.add(column, row, calls, inferred);
    for (const call of listed) this.listed.push({ ...call, startNs: call.startNs - shiftNs });
    this.listed.sort((a, b) => b.durationNs - a.durationNs || a.startNs - b.startNs || a.tid - b.tid);
    this.listed.length = Math.min(this.listed.length, MAX_LISTED_CALLS);
  }

  /** null: nothing was added. */
  build(): TimedCalls | null {
    const { bounds, grid, listed } = this;
    return bounds && { bounds, cells: grid.build(), listed };
  }
}

/** Counts by cell. */
export class CallGrid {
  private readonly counts = new Map<number, { calls: number; inferred: number }>();

  add(column: number, row: number, calls: number, inferred: number): void {
    const key = row * TIME_COLUMNS + column;
    const cell = this.counts.get(key);
    if (cell === undefined) {
      this.counts.set(key, { calls, inferred });
      return;
    }
    cell.calls += calls;
    cell.inferred += inferred;
  }

  build(): TimeCell[] {
    return [...this.counts]
      .map(([key, counts]) => ({ column: key % TIME_COLUMNS, row: Math.floor(key / TIME_COLUMNS), ...counts }))
      .sort((a, b) => a.column - b.column || a.row - b.row);
  }
}

// Keeps the longest calls.

/** `row`: of the log, in which the call was opened. */
export interface RankedCall {
  readonly row: number;
  readonly entryNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
}

export interface LongCall extends RankedCall {
  /** It ended in an exception or a longjmp. */
  readonly isUnwound: boolean;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
}

/** Keeps `maxCalls` calls; of equally long ones, those that began first. */
export class LongestCalls<Call extends RankedCall> {
  private readonly calls: Call[] = [];
  /** Shorter calls are not among the longest. */
  private minNs = Number.NEGATIVE_INFINITY;

  constructor(private readonly maxCalls: number) {}

  add(call: Call): void {
    if (this.maxCalls === 0 || call.durationNs < this.minNs) return;
    this.calls.push(call);
    if (this.calls.length >= 2 * this.maxCalls + 16) this.keepLongest();
  }

  build(): readonly Call[] {
    this.keepLongest();
    return this.calls;
  }

  private keepLongest(): void {
    this.calls.sort((a, b) => b.durationNs - a.durationNs || a.entryNs - b.entryNs || a.row - b.row);
    if (this.maxCalls === 0 || this.calls.length < this.maxCalls) return;
    this.calls.length = this.maxCalls;
    this.minNs = (this.calls.at(-1) as Call).durationNs;
  }
}

/**
 * The grid that calls are counted in by time and duration: columns of equal time, and two rows for each power of two.
 */
export const TIME_COLUMNS = 256;

/** Returns the column of a moment; what lies outside of the bounds is in the first or the last one. */
export function timeColumn({ startNs, endNs }: Bounds, ns: Nanoseconds): number {
  const column = Math.floor(((ns - startNs) / Math.max(1, endNs - startNs)) * TIME_COLUMNS);
  return Math.min(TIME_COLUMNS - 1, Math.max(0, column));
}

/** Row 0 has no time at all; row 1 begins at 1 ns, row 2 at 2^0.5 ns, row 3 at 2 ns. */
export function durationRow(ns: Nanoseconds): number {
  if (ns < 1) return 0;
  const rounded = Math.floor(Math.log2(ns));
  const power = 2 ** rounded > ns ? rounded - 1 : rounded; // log2 rounds 2^49 - 1 up
  return 1 + 2 * power + (ns >= 2 ** (power + 0.5) ? 1 : 0);
}

/** Returns the shortest duration of a row, in whole nanoseconds. */
export function rowStartNs(row: number): Nanoseconds {
  return row === 0 ? 0 : Math.ceil(2 ** ((row - 1) / 2));
}
