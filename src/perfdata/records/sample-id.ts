/**
 * Reads the sample id at the end of each kernel record: thread, CPU and time.
 */
import type { PerfTime } from '../../model/trace/perf-time.js';
import { NONE } from '../../model/units.js';
import { readU64 } from '../file/sections.js';
import { timeOf } from '../file/times.js';

/** Layout of the sample id: distances from the end of the record in bytes; 0: missing. */
export interface Trailer {
  readonly sizeBytes: number;
  readonly ids: number; // pid, then tid
  readonly time: number;
  readonly eventId: number;
  readonly cpu: number;
  /** Offset of the time in a sample, whose fields have another order; 0: missing. */
  readonly sampleTime: number;
}

export interface SampleId {
  readonly pid: number;
  readonly tid: number;
  readonly cpu: number;
  readonly time: PerfTime | null;
}

export const NO_SAMPLE_ID: SampleId = { pid: NONE, tid: NONE, cpu: NONE, time: null };

const SAMPLE = {
  ip: 1 << 0,
  tid: 1 << 1,
  time: 1 << 2,
  id: 1 << 6,
  cpu: 1 << 7,
  streamId: 1 << 9,
  identifier: 1 << 16,
};
const RECORD_HEAD_BYTES = 8;

/** `sampleType` selects the fields; their order is fixed, and each has 8 bytes. */
export function trailerOf(sampleType: number): Trailer {
  let sizeBytes = 0;
  const next = (bit: number) => (sampleType & bit ? (sizeBytes += 8) : 0);
  const identifier = next(SAMPLE.identifier); // from the last field to the first
  const cpu = next(SAMPLE.cpu);
  next(SAMPLE.streamId);
  const id = next(SAMPLE.id);
  const time = next(SAMPLE.time);
  const ids = next(SAMPLE.tid);
  return { sizeBytes, ids, time, cpu, eventId: identifier || id, sampleTime: sampleTimeOf(sampleType) };
}

/** A sample begins with IDENTIFIER, IP, TID, TIME. */
function sampleTimeOf(sampleType: number): number {
  if ((sampleType & SAMPLE.time) === 0) return 0;
  const before = [SAMPLE.identifier, SAMPLE.ip, SAMPLE.tid].filter((bit) => sampleType & bit);
  return RECORD_HEAD_BYTES + 8 * before.length;
}

/** `end`: where the record ends. */
export function readSampleId(trailer: Trailer, view: DataView, end: number): SampleId {
  const { ids, time, cpu } = trailer;
  return {
    pid: ids === 0 ? NONE : view.getInt32(end - ids, true),
    tid: ids === 0 ? NONE : view.getInt32(end - ids + 4, true),
    cpu: cpu === 0 ? NONE : view.getInt32(end - cpu, true),
    time: time === 0 ? null : timeOf(view, end - time),
  };
}

export function readEventId(trailer: Trailer, view: DataView, end: number): number {
  return readU64(view, end - trailer.eventId);
}
