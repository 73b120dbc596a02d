/**
 * perf's errors; those that name no thread may concern any that was last seen on their processor.
 */
import { countAtOrBelow } from '../model/columns.js';
import type { TraceRecord } from '../model/trace-chunk.js';
import { NONE } from '../model/units.js';
import { lastRowAt, type MergedLanes } from './merge-lanes.js';

export type GapRecord = Extract<TraceRecord, { what: 'gap' }>;

/** Those without a thread, of one processor, or of NONE: of any. */
class GapsOfCpu {
  private gaps: GapRecord[] = [];
  /** As many as gaps if those are in order. */
  private times = new Float64Array();

  add(gap: GapRecord): void {
    this.gaps.push(gap);
  }

  /** Between two events of a thread one says as much as many: the first. */
  *of(cpu: number, { length, timeNs, cpu: cpus }: MergedLanes): Generator<GapRecord> {
    if (this.times.length !== this.gaps.length) this.sort();
    let index = length === 0 ? this.times.length : countAtOrBelow(this.times, timeNs[0] - 1);
    while (index < this.times.length) {
      const row = lastRowAt(timeNs, this.times[index]);
      if (cpu === NONE || cpus[row] === cpu) yield this.gaps[index] as GapRecord;
      if (row + 1 === length) return;
      index = countAtOrBelow(this.times, timeNs[row + 1] - 1);
    }
  }

  private sort(): void {
    this.gaps.sort(byTimeThenContent);
    this.times = Float64Array.from(this.gaps, ({ timeNs }) => timeNs);
  }
}

/** Errors that name no thread. */
export class UnownedGaps {
  private readonly cpus = new Map<number, GapsOfCpu>();

  add(gap: GapRecord): void {
    let gaps = this.cpus.get(gap.cpu);
    if (gaps === undefined) this.cpus.set(gap.cpu, (gaps = new GapsOfCpu()));
    gaps.add(gap);
  }

  /** Those that concern a thread. */
  *of(merged: MergedLanes): Generator<GapRecord> {
    for (const [cpu, gaps] of this.cpus) yield* gaps.of(cpu, merged);
  }
}

/** Errors of one time in an order that the inputs do not decide. */
export function byTimeThenContent(a: GapRecord, b: GapRecord): number {
  const byText = a.message === b.message ? 0 : a.message < b.message ? -1 : 1;
  return a.timeNs - b.timeNs || a.code - b.code || (a.ip || 0) - (b.ip || 0) || a.pid - b.pid || byText;
}
