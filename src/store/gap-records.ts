/**
 * perf's errors; those that name no thread may concern any that was last seen on their processor.
 */
import { countAtOrBelow } from '../model/columns.js';
import type { TraceRecord } from '../model/trace-chunk.js';
import { NONE } from '../model/units.js';
import { lastRowAt, type MergedLanes } from './merge-lanes.js';

export type GapRecord = Extract<TraceRecord, { what: 'gap' }>;

/** Errors that name no thread, of one processor or of NONE: of any; plain data. */
export interface UnownedGapsOfCpu {
  readonly cpu: number;
  /** By time. */
  readonly gaps: readonly GapRecord[];
}

/** Errors that name no thread. */
export class UnownedGaps {
  private readonly cpus = new Map<number, GapRecord[]>();
  private isSorted = true;

  add(gap: GapRecord): void {
    const gaps = this.cpus.get(gap.cpu);
    if (gaps === undefined) this.cpus.set(gap.cpu, [gap]);
    else gaps.push(gap);
    this.isSorted = false;
  }

  /** Those on some processors, and those of which no processor is known. */
  on(cpus: readonly number[]): UnownedGapsOfCpu[] {
    if (!this.isSorted) for (const gaps of this.cpus.values()) gaps.sort(byTimeThenContent);
    this.isSorted = true;
    return [...new Set([...cpus, NONE])].flatMap((cpu) => {
      const gaps = this.cpus.get(cpu);
      return gaps === undefined ? [] : [{ cpu, gaps }];
    });
  }
}

/** Those that concern a thread: between two of its events one says as much as many, so it is the first. */
export function* gapsAmong(
  { cpu, gaps }: UnownedGapsOfCpu,
  { length, timeNs, cpu: cpus }: MergedLanes,
): Generator<GapRecord> {
  const times = Float64Array.from(gaps, (gap) => gap.timeNs);
  let index = length === 0 ? times.length : countAtOrBelow(times, timeNs[0] - 1);
  while (index < times.length) {
    const row = lastRowAt(timeNs, times[index]);
    if (cpu === NONE || cpus?.[row] === cpu) yield gaps[index] as GapRecord;
    if (row + 1 === length) return;
    index = countAtOrBelow(times, timeNs[row + 1] - 1);
  }
}

/** Errors of one time in an order that the inputs do not decide. */
export function byTimeThenContent(a: GapRecord, b: GapRecord): number {
  const byText = a.message === b.message ? 0 : a.message < b.message ? -1 : 1;
  return a.timeNs - b.timeNs || a.code - b.code || (a.ip || 0) - (b.ip || 0) || a.pid - b.pid || byText;
}
