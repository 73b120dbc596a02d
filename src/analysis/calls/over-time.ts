/**
 * Records when the calls of a function were and how long they took: counts in a grid, however many there are, and a list
 * of the longest.
 */

import { isComplete } from '../../model/profile/profile.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';
import { LongestCalls, type RankedCall } from './longest-calls.js';
import { durationRow, TIME_COLUMNS, timeColumn } from './time-grid.js';

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

/** The calls in a cell of the grid (time-grid.ts). */
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
  private readonly bounds: Bounds;

  constructor(bounds: Bounds) {
    this.bounds = bounds;
  }

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
