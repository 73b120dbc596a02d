/**
 * What has to be decoded of a recording: streams of trace by CPU, who ran when, and errors that its records report.
 */

import { indexOfBytes, latin1Text, utf8Bytes } from '../../codec/bytes.js';
import { type CodeChange, type FilteredRegion, parseFilters } from '../../decode/images.js';
import type { TickBounds } from '../../decode/part-decoder.js';
import type { Stream, TraceRecordBytes } from '../../decode/parts.js';
import { toTicks } from '../../decode/parts.js';
import { buildSchedule, type Schedule, type Sideband, type TraceOwner } from '../../decode/schedule.js';
import { openPath } from '../../host/files.js';
import { assert } from '../../model/errors.js';
import type { OpenFile } from '../../model/open-file.js';
import type { PerfTime, TraceTiming } from '../../model/trace/perf-time.js';
import { type Address, NONE } from '../../model/units.js';
import { isBeforeRecording } from '../../parser/pieces/chunk-builder.js';
import type { AuxBuffer, RecordedEvent, Recording } from '../../perfdata/recording.js';
import type { KernelSegment } from '../../symbols/kernel-files.js';
import { PSB, PSB_PLUS_BYTES, tickAfterPsb } from './psb-search.js';

/** The trace of one CPU, or of one thread. */
export interface CpuTrace extends TraceOwner {
  /** A stream begins where bytes of trace are missing. */
  readonly streams: readonly Stream[];
  readonly sizeBytes: number;
}

export interface DecodePlan {
  readonly timing: TraceTiming;
  readonly bounds: TickBounds | null;
  readonly schedule: Schedule;
  /** Of the kernel's code, in order of time. */
  readonly changes: readonly CodeChange[];
  readonly cpus: readonly CpuTrace[];
}

export interface PlannedRecording {
  /** Its file. */
  readonly path: string;
  readonly recording: Recording;
  /** Default: the kernel is not traced, or its code is missing. */
  readonly kernel?: KernelCode | null;
}

/** The kernel's code, as far as it is the same for the whole recording. Plain data. */
export interface KernelCode {
  /** Its memory, and where that is: one of the recording's binaries. */
  readonly segments: readonly KernelSegment[];
  readonly file: string;
  /** Where it switches stacks; null: unknown. */
  readonly switchAt: Address | null;
}

/** The recording must be one that the decoder supports (encoded-recording.ts). */
export function decodePlan({ path, recording, kernel = null }: PlannedRecording): DecodePlan {
  const timing = recording.encoding?.timing ?? null;
  assert(timing !== null, 'a recording without clocks was to be decoded');
  const filters = filtersOf(recording);
  const isSwitchKnown = kernel !== null && kernel.switchAt !== null;
  const events = recording.sideband.flatMap((event) => toSideband(event, timing, filters, isSwitchKnown));
  const sideband = [...(kernel?.segments ?? []).map((segment) => kernelMapping(segment, kernel)), ...events];
  const isSnapshot = recording.trace?.isSnapshot === true;
  const cpus = cpuTraces(isSnapshot ? withoutOverlaps(path, recording.buffers) : recording.buffers);
  const schedule = buildSchedule(sideband, tracedThreads(recording, cpus));
  return { timing, bounds: boundsOf(recording, timing), schedule, changes: changesOf(recording, timing), cpus };
}

function changesOf({ kernelCode }: Recording, timing: TraceTiming): CodeChange[] {
  const changes = kernelCode.map(({ time, start, bytes }) => ({ tick: ticksAt(time, timing), start, bytes }));
  return changes.sort((a, b) => Number(a.tick > b.tick) - Number(a.tick < b.tick));
}

function ticksAt(time: PerfTime | null, timing: TraceTiming): bigint {
  return time === null || isBeforeRecording(time) ? 0n : toTicks(nsOf(time), timing);
}

function kernelMapping(segment: KernelSegment, kernel: KernelCode | null): Sideband {
  return { tick: 0n, what: 'map', pid: NONE, ...segment, file: kernel?.file ?? '' };
}

/** perf's clock and the TSC may differ by less. */
const CLOCK_SLACK_NS = 1_000_000n;

/** All trace is between the first record and the last one, or the last buffer, of which a broken file lacks the records. */
function boundsOf({ bounds, buffers }: Recording, timing: TraceTiming): TickBounds | null {
  if (bounds === null) return null;
  const startNs = nsOf(bounds.start);
  const first = startNs > CLOCK_SLACK_NS ? toTicks(startNs - CLOCK_SLACK_NS, timing) : 0n;
  const last = toTicks(nsOf(bounds.end) + CLOCK_SLACK_NS, timing);
  return { first, last: buffers.reduce((latest, { reference }) => (reference > latest ? reference : latest), last) };
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
  return latin1Text(utf8Bytes(text));
}

function toSideband(
  { cpu, pid, tid, time, record, next }: RecordedEvent,
  timing: TraceTiming,
  filters: readonly FilteredRegion[] | null,
  isSwitchKnown: boolean,
): Sideband[] {
  if (time === null) return [];
  const tick = ticksAt(time, timing);
  switch (record.what) {
    case 'traced':
      return [{ tick, what: 'runs', cpu, pid: record.pid, tid: record.tid }];
    case 'switch':
      if (record.direction === 'in') return [{ tick, what: 'runs', cpu, pid, tid }];
      return next ? [{ tick, what: 'runs', cpu, ...next, isAtSwitch: isSwitchKnown }] : [];
    case 'mmap': {
      const { start, length, fileOffset, file } = record;
      if (record.pid === NONE) return []; // the kernel's code is that of its memory
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

/** A PSB in a buffer, and the time stamp in its PSB+. */
interface Psb {
  /** Offset in the buffer. */
  readonly at: number;
  readonly tick: bigint;
}

/** A buffer, and where its synchronization points are. */
interface Snapshot {
  readonly buffer: AuxBuffer;
  readonly psbs: readonly Psb[];
}

/** Bytes of trace that nobody has: more than the padding at the end of a buffer. */
const GAP_BYTES = 64;

/**
 * Snapshots of a buffer that overwrites itself: each repeats what the one before has of it. As perf does, the repeated part is
 * found by the time stamps at synchronization points (PSB), and left out.
 *
 * Returns the buffers without what they repeat, at offsets that follow each other where nothing is missing between them.
 */
function withoutOverlaps(path: string, buffers: readonly AuxBuffer[]): AuxBuffer[] {
  const file = openPath(path);
  try {
    const last = new Map<string, { readonly snapshot: Snapshot; readonly end: number }>();
    return buffers.flatMap((buffer) => {
      const owner = `${buffer.cpu} ${buffer.tid}`;
      const snapshot = { buffer, psbs: psbsOf(file, buffer) };
      const before = last.get(owner);
      const repeated = before === undefined ? null : repeatedBytes(before.snapshot, snapshot);
      const kept = buffer.sizeBytes - (repeated ?? 0);
      if (kept <= 0) return [];
      const auxOffset = before === undefined ? 0 : before.end + (repeated === null ? GAP_BYTES : 0);
      last.set(owner, { snapshot, end: auxOffset + kept });
      return [{ ...buffer, auxOffset, fileOffset: buffer.fileOffset + (repeated ?? 0), sizeBytes: kept }];
    });
  } finally {
    file.close();
  }
}

/** How many bytes at the beginning of a snapshot the one before has; null: none that they share is known. */
function repeatedBytes(before: Snapshot, { psbs }: Snapshot): number | null {
  const atOf = new Map(psbs.map(({ tick, at }) => [tick, at]));
  const shared = before.psbs.findLast(({ tick }) => atOf.has(tick));
  return shared === undefined ? null : (atOf.get(shared.tick) ?? 0) + before.buffer.sizeBytes - shared.at;
}

const WINDOW_BYTES = 1 << 20;

function psbsOf(file: OpenFile, { fileOffset, sizeBytes }: AuxBuffer): Psb[] {
  const psbs: Psb[] = [];
  const window = new Uint8Array(WINDOW_BYTES + PSB_PLUS_BYTES);
  for (let start = 0; start < sizeBytes; start += WINDOW_BYTES) {
    const wanted = window.subarray(0, Math.min(window.length, sizeBytes - start));
    const bytes = wanted.subarray(0, file.read(wanted, fileOffset + start));
    for (
      let at = indexOfBytes(bytes, PSB);
      at !== -1 && at < WINDOW_BYTES;
      at = indexOfBytes(bytes, PSB, at + PSB.length)
    ) {
      while (indexOfBytes(bytes, PSB, at + 2) === at + 2) at += 2; // the end of other packets may look like its beginning
      const tick = tickAfterPsb(bytes.subarray(at + PSB.length));
      if (tick !== null) psbs.push({ at: start + at, tick });
    }
  }
  return psbs;
}
