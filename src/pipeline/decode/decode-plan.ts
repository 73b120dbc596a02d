/**
 * What has to be decoded of a recording: streams of trace by CPU, who ran when, and errors that its records report.
 */

import { type FilteredRegion, parseFilters } from '../../decode/code/address-filters.js';
import { buildSchedule, type Schedule, type Sideband, type TraceOwner } from '../../decode/schedule.js';
import type { Stream, TraceRecordBytes } from '../../decode/streams.js';
import { toTicks } from '../../decode/ticks.js';
import { assert } from '../../model/errors.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { TraceTiming } from '../../model/trace/trace-timing.js';
import { NONE } from '../../model/units.js';
import type { AuxBuffer, RecordedEvent, Recording } from '../../perfdata/recording.js';
import { withoutOverlaps } from './snapshots.js';

/** The trace of one CPU, or of one thread. */
export interface CpuTrace extends TraceOwner {
  /** A stream begins where bytes of trace are missing. */
  readonly streams: readonly Stream[];
  readonly sizeBytes: number;
}

export interface DecodePlan {
  readonly timing: TraceTiming;
  readonly schedule: Schedule;
  readonly cpus: readonly CpuTrace[];
}

/** The recording must be one that the decoder supports (supported.ts). `path`: its file. */
export function decodePlan({ path, recording }: { readonly path: string; readonly recording: Recording }): DecodePlan {
  const timing = recording.encoding?.timing ?? null;
  assert(timing !== null, 'a recording without clocks was to be decoded');
  const filters = filtersOf(recording);
  const sideband = recording.sideband.flatMap((event) => toSideband(event, timing, filters));
  const isSnapshot = recording.trace?.isSnapshot === true;
  const cpus = cpuTraces(isSnapshot ? withoutOverlaps(path, recording.buffers) : recording.buffers);
  return { timing, schedule: buildSchedule(sideband, tracedThreads(recording, cpus)), cpus };
}

/** The threads whose trace is recorded by thread, with their processes. */
function tracedThreads({ sideband }: Recording, traces: readonly TraceOwner[]): { pid: number; tid: number }[] {
  const pidOf = new Map(sideband.map(({ tid, pid }) => [tid, pid]));
  return traces.flatMap(({ tid }) => (tid === NONE ? [] : [{ tid, pid: pidOf.get(tid) ?? NONE }]));
}

/** The filters of addresses, with files as mappings have them; null: all code is traced. */
function filtersOf({ trace }: Recording): FilteredRegion[] | null {
  const filters = trace === null || trace.filter === '' ? null : parseFilters(trace.filter);
  if (filters === null) return null;
  return filters.map(({ file, ...region }) => ({ ...region, file: file === null ? null : latin1(file) }));
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function toSideband(
  { cpu, pid, tid, time, record, next }: RecordedEvent,
  timing: TraceTiming,
  filters: readonly FilteredRegion[] | null,
): Sideband[] {
  if (time === null) return [];
  const tick = isBeforeRecording(time) ? 0n : toTicks(nsOf(time), timing);
  switch (record.what) {
    case 'traced':
      return [{ tick, what: 'runs', cpu, pid: record.pid, tid: record.tid }];
    case 'switch':
      if (record.direction === 'in') return [{ tick, what: 'runs', cpu, pid, tid }];
      return next ? [{ tick, what: 'runs', cpu, ...next }] : [];
    case 'mmap': {
      const { start, length, fileOffset, file } = record;
      return [{ tick, what: 'map', pid: record.pid, start, length, fileOffset, file, ...(filters && { filters }) }];
    }
    case 'comm':
      return record.exec ? [{ tick, what: 'exec', pid: record.pid }] : [];
    case 'fork':
      return [{ tick, what: 'fork', pid: record.pid, parentPid: record.parentPid }];
    default:
      return [];
  }
}

export function nsOf({ seconds, ns }: PerfTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(ns);
}

/** perf gives time 0 to what existed before the recording. */
function isBeforeRecording({ seconds, ns }: PerfTime): boolean {
  return seconds === 0 && ns === 0;
}

function cpuTraces(buffers: readonly AuxBuffer[]): CpuTrace[] {
  const owners = new Map(buffers.map(({ cpu, tid }) => [`${cpu} ${tid}`, { cpu, tid }]));
  return [...owners.values()].sort(byCpuAndTid).map(({ cpu, tid }) => {
    const own = buffers.filter((buffer) => buffer.cpu === cpu && buffer.tid === tid && buffer.sizeBytes > 0);
    own.sort((a, b) => a.auxOffset - b.auxOffset);
    const records = own.map(({ auxOffset: offset, ...rest }) => ({ offset, ...rest }));
    const sizeBytes = own.reduce((sum, buffer) => sum + buffer.sizeBytes, 0);
    return { cpu, tid, streams: streamsOf(records), sizeBytes };
  });
}

function byCpuAndTid(a: TraceOwner, b: TraceOwner): number {
  return a.cpu - b.cpu || a.tid - b.tid;
}

/** perf fills the bytes of a record up to a multiple of this with zeros. */
const PADDED_BYTES = 8;

function streamsOf(records: readonly TraceRecordBytes[]): Stream[] {
  const streams: [TraceRecordBytes, ...TraceRecordBytes[]][] = [];
  for (const record of records) {
    const stream = streams[streams.length - 1];
    const last = stream?.[stream.length - 1];
    const end = last === undefined ? Number.NaN : last.offset + last.sizeBytes;
    if (stream !== undefined && last !== undefined && record.offset <= end && end - record.offset < PADDED_BYTES) {
      stream[stream.length - 1] = { ...last, sizeBytes: record.offset - last.offset };
      stream.push(record);
    } else streams.push([record]);
  }
  return streams;
}
