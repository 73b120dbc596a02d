/**
 * Where the parts of a sample are, by what was requested for its event (perf_event_open(2)).
 */
import { readU64 } from '../file/sections.js';

/** Offsets from the start of the record in bytes; 0: missing. */
export interface SampleLayout {
  readonly ids: number; // pid, then tid
  readonly time: number;
  readonly eventId: number;
  readonly cpu: number;
  /** End of the parts of fixed size. */
  readonly fixedEnd: number;
  readonly hasCallChain: boolean;
  readonly hasRaw: boolean;
  /** null: no counters. */
  readonly counters: CounterLayout | null;
}

/** Counters that a sample contains. */
interface CounterLayout {
  /** First their number, then the times, then each counter; else one counter, then the times. */
  readonly isGroup: boolean;
  readonly timeBytes: number;
  readonly counterBytes: number;
}

const RECORD_HEAD_BYTES = 8;
/** Parts of eight bytes, in their order. */
const SAMPLE = {
  identifier: 1 << 16,
  ip: 1 << 0,
  ids: 1 << 1,
  time: 1 << 2,
  address: 1 << 3,
  id: 1 << 6,
  streamId: 1 << 9,
  cpu: 1 << 7,
  period: 1 << 8,
} as const;
const SAMPLE_READ = 1 << 4;
const SAMPLE_CALLCHAIN = 1 << 5;
const SAMPLE_RAW = 1 << 10;
const READ = { timeEnabled: 1 << 0, timeRunning: 1 << 1, id: 1 << 2, group: 1 << 3, lost: 1 << 4 } as const;

export function layoutOf(sampleType: number, readFormat: number): SampleLayout {
  const at: Partial<Record<keyof typeof SAMPLE, number>> = {};
  let fixedEnd = RECORD_HEAD_BYTES;
  for (const [part, bit] of Object.entries(SAMPLE) as [keyof typeof SAMPLE, number][]) {
    if ((sampleType & bit) === 0) continue;
    at[part] = fixedEnd;
    fixedEnd += 8;
  }
  return {
    ids: at.ids ?? 0,
    time: at.time ?? 0,
    eventId: at.identifier ?? at.id ?? 0,
    cpu: at.cpu ?? 0,
    fixedEnd,
    hasCallChain: (sampleType & SAMPLE_CALLCHAIN) !== 0,
    hasRaw: (sampleType & SAMPLE_RAW) !== 0,
    counters: sampleType & SAMPLE_READ ? countersOf(readFormat) : null,
  };
}

function countersOf(readFormat: number): CounterLayout {
  const bytesOf = (...bits: number[]) => 8 * bits.filter((bit) => readFormat & bit).length;
  return {
    isGroup: (readFormat & READ.group) !== 0,
    timeBytes: bytesOf(READ.timeEnabled, READ.timeRunning),
    counterBytes: 8 + bytesOf(READ.id, READ.lost),
  };
}

/** Returns where the size of the raw data is; `end` or more if the record is too short. */
export function rawDataAt({ fixedEnd, counters, hasCallChain }: SampleLayout, view: DataView, at: number, end: number) {
  let next = at + fixedEnd;
  if (counters !== null) {
    if (next + 8 > end) return end;
    const count = counters.isGroup ? readU64(view, next) : 1;
    next += (counters.isGroup ? 8 : 0) + counters.timeBytes + count * counters.counterBytes;
  }
  if (!hasCallChain) return next;
  return next + 8 > end ? end : next + 8 + 8 * readU64(view, next);
}
