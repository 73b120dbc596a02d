/**
 * Walks over the records of a recording, skipping the trace.
 */

import { comparePerfTimes, type PerfTime } from '../model/trace/perf-time.js';
import type { FileWindow } from './file-parts.js';

/** A record in the current block; overwritten by the next record. */
export interface FileRecord {
  view: DataView;
  /** Offsets of its start and end in the view. */
  at: number;
  end: number;
  /** Offset in the file. */
  offset: number;
  type: number;
  misc: number;
}

export const RECORD_HEAD_BYTES = 8;

/**
 * Calls `visit` with each record; it returns how many bytes of trace follow. If the walk cannot continue, the reason is added to
 * `damage`.
 */
export async function walkRecords(
  window: FileWindow,
  start: number,
  end: number,
  visit: (record: FileRecord) => number,
  damage: Damage,
): Promise<void> {
  const record: FileRecord = { view: window.view, at: 0, end: 0, offset: 0, type: 0, misc: 0 };
  let offset = start;
  while (offset < end) {
    if (!holdsRecord(window, offset)) await window.moveTo(offset);
    const faulty = holdsRecord(window, offset) ? readHead(window, offset, end, record) : cut(offset);
    if (faulty !== null) return damage.add(faulty);
    offset += record.end - record.at + visit(record);
  }
}

function holdsRecord(window: FileWindow, offset: number): boolean {
  return window.holds(offset, RECORD_HEAD_BYTES) && window.holds(offset, sizeOf(window, offset));
}

function sizeOf({ view, start }: FileWindow, offset: number): number {
  return view.getUint16(offset - start + 6, true);
}

function cut(offset: number): string {
  return `the last record, at byte ${offset}, is truncated`;
}

/** Returns the fault of the record, or null. */
function readHead(window: FileWindow, offset: number, end: number, to: FileRecord): string | null {
  const { view, start } = window;
  const sizeBytes = sizeOf(window, offset);
  if (sizeBytes < RECORD_HEAD_BYTES)
    return `the record at byte ${offset} has a size of ${sizeBytes}: everything after it is ignored`;
  if (offset + sizeBytes > end) return cut(offset);
  to.view = view;
  to.at = offset - start;
  to.end = to.at + sizeBytes;
  to.offset = offset;
  to.type = view.getUint32(to.at, true);
  to.misc = view.getUint16(to.at + 4, true);
  return null;
}

const MAX_MESSAGES = 20;

/**
 * Collects the faults of a recording, in words; only the first ones, so that a garbled file does not fill the memory.
 */
export class Damage {
  private readonly listed: string[] = [];
  private more = 0;

  add(what: string): void {
    if (this.listed.length < MAX_MESSAGES) this.listed.push(what);
    else this.more++;
  }

  messages(): readonly string[] {
    return this.more === 0 ? this.listed : [...this.listed, `and ${this.more} more faults like these`];
  }
}

const NS_IN_SECOND = 1e9;
/** 2^32 ns are 4 s and this. */
const NS_LEFT_OF_HIGH_WORD = 2 ** 32 - 4e9;
/** Below this, 2 years of uptime, the sums of these remainders are exact as numbers. */
const EXACT_HIGH_WORDS = 2 ** 24;
/** perf's value for "unknown". */
const UNKNOWN = 2n ** 64n - 1n;

/** Times in recordings: nanoseconds in 64 bits, more than a number holds exactly. */
export function timeOf(view: DataView, at: number): PerfTime | null {
  const high = view.getUint32(at + 4, true);
  if (high >= EXACT_HIGH_WORDS) return farTimeOf(view.getBigUint64(at, true));
  const left = high * NS_LEFT_OF_HIGH_WORD + view.getUint32(at, true);
  const ns = left % NS_IN_SECOND;
  return { seconds: 4 * high + (left - ns) / NS_IN_SECOND, ns };
}

function farTimeOf(all: bigint): PerfTime | null {
  if (all === UNKNOWN) return null;
  return { seconds: Number(all / BigInt(NS_IN_SECOND)), ns: Number(all % BigInt(NS_IN_SECOND)) };
}

/** The first and the last time, except for records from before the recording began. */
export class TimeBounds {
  private start: PerfTime | null = null;
  private end: PerfTime | null = null;

  include(time: PerfTime | null): void {
    if (time === null || (time.seconds === 0 && time.ns === 0)) return;
    if (this.start === null || comparePerfTimes(time, this.start) < 0) this.start = time;
    if (this.end === null || comparePerfTimes(time, this.end) > 0) this.end = time;
  }

  get bounds(): { readonly start: PerfTime; readonly end: PerfTime } | null {
    return this.start && this.end && { start: this.start, end: this.end };
  }
}
