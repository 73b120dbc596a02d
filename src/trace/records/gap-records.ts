/**
 * perf's errors. Those that name no thread may concern any thread last seen on their CPU.
 */

import { utf8Bytes, utf8Text } from '../../codec/bytes.js';
import { countBelow } from '../../model/columns.js';
import { appendTo } from '../../model/groups.js';
import { sharableBytes } from '../../model/shared-memory.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { ThreadSlice } from '../lanes/lane.js';

export type GapRecord = Extract<TraceRecord, { what: 'gap' }>;

/** Errors without a thread, of one CPU or of NONE (unknown). In shared memory: every worker gets all and needs few. */
export interface UnownedCpuGaps {
  readonly cpu: number;
  /** Ascending. */
  readonly timeNs: Float64Array;
  /** Offset in `records` where each record ends. */
  readonly end: Float64Array;
  /** JSON, one after another. */
  readonly records: Uint8Array;
}

export class UnownedGaps {
  private readonly cpus = new Map<number, GapRecord[]>();
  private readonly packed = new Map<number, UnownedCpuGaps>();

  add(gap: GapRecord): void {
    appendTo(this.cpus, gap.cpu, gap);
    this.packed.delete(gap.cpu);
  }

  /** Returns the errors of some CPUs and those without a known CPU. */
  on(cpus: readonly number[]): UnownedCpuGaps[] {
    if (this.cpus.size === 0) return [];
    return [...new Set([...cpus, NONE])].flatMap((cpu) => {
      const gaps = this.cpus.get(cpu);
      return gaps === undefined ? [] : [this.packedOf(cpu, gaps)];
    });
  }

  private packedOf(cpu: number, gaps: GapRecord[]): UnownedCpuGaps {
    let packed = this.packed.get(cpu);
    if (packed === undefined) this.packed.set(cpu, (packed = pack(cpu, gaps.sort(byTimeThenContent))));
    return packed;
  }
}

function pack(cpu: number, gaps: readonly GapRecord[]): UnownedCpuGaps {
  const texts = gaps.map((gap) => utf8Bytes(JSON.stringify(gap)));
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const column = () => new Float64Array(sharableBytes(gaps.length * Float64Array.BYTES_PER_ELEMENT));
  const packed = { cpu, timeNs: column(), end: column(), records: new Uint8Array(sharableBytes(bytes)) };
  let at = 0;
  gaps.forEach(({ timeNs }, index) => {
    const text = texts[index];
    packed.records.set(text, at);
    at += text.length;
    packed.timeNs[index] = timeNs;
    packed.end[index] = at;
  });
  return packed;
}

function recordAt({ end, records }: UnownedCpuGaps, index: number): GapRecord {
  const text = utf8Text(records, index === 0 ? 0 : end[index - 1], end[index]);
  const record: GapRecord = JSON.parse(text);
  return { ...record, ip: record.ip ?? Number.NaN }; // JSON has no NaN
}

/** Finds the errors that concern a thread; between two of its events only the first of a CPU, because more add nothing. */
export class GapsAmong {
  readonly found: GapRecord[] = [];
  /** Of each CPU, the index of the next one. */
  private readonly lists: { readonly gaps: UnownedCpuGaps; next: number }[];
  private dueNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  /** Of the last event; -Infinity: there is none. */
  private lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  private cpu = NONE;

  constructor(unowned: readonly UnownedCpuGaps[]) {
    this.lists = unowned.map((gaps) => ({ gaps, next: 0 }));
  }

  add({ cpu, timeNs, timeAt, length }: ThreadSlice): void {
    for (let at = timeAt; at < timeAt + length; at++) {
      if (timeNs[at] > this.dueNs) this.take(timeNs[at]);
      if (timeNs[at] > this.lastNs) this.lastNs = timeNs[at];
      this.cpu = cpu;
    }
  }

  /** Adds the errors before a time that follow an event. */
  take(untilNs: Nanoseconds): void {
    this.dueNs = Number.POSITIVE_INFINITY;
    for (const list of this.lists) {
      const { timeNs, cpu } = list.gaps;
      const isDue = this.lastNs > Number.NEGATIVE_INFINITY && timeNs[list.next] < untilNs;
      if (isDue && (cpu === NONE || cpu === this.cpu)) this.found.push(recordAt(list.gaps, list.next));
      list.next = countBelow(timeNs, untilNs, list.next);
      if (timeNs[list.next] < this.dueNs) this.dueNs = timeNs[list.next];
    }
  }
}

/** Orders errors by time, and at equal times by content, so that the order of inputs does not matter. */
export function byTimeThenContent(a: GapRecord, b: GapRecord): number {
  const byText = a.message === b.message ? 0 : a.message < b.message ? -1 : 1;
  return a.timeNs - b.timeNs || a.code - b.code || (a.ip || 0) - (b.ip || 0) || a.pid - b.pid || byText;
}
