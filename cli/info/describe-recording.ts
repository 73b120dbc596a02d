/**
 * Describes a recording as the data that `ptflame info` prints.
 */

import { lacksKernelNames } from '../../src/model/sample-table.js';
import type { PerfTime } from '../../src/model/trace/perf-time.js';
import type { AuxBuffer, AuxRecord, RecordedEvent, Recording } from '../../src/perfdata/recording.js';
import type { SideRecording } from '../../src/perfdata/side-recording.js';
import { decodeSample, type TracedTime, tracedTime } from '../../src/pipeline/decode/decode-sample.js';
import { findBinaries, findTracedKernel } from '../../src/pipeline/decode/encoded-recording.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { onlyPerfDecodes } from '../input/choose-decoder.js';
import { encodedRecording, rootsOf } from '../input/encoded-recording.js';
import type { RecordingInfo } from './recording-info.js';

const MAX_TRUNCATED = 100;

export function describeRecording(
  file: string,
  recording: Recording,
  sides: readonly SideRecording[],
  { decoding, traced }: SampledDecoding,
): RecordingInfo {
  const { sizeBytes, machine, command, eventName, trace, buffers, sideband, buildIds, damage } = recording;
  const parts = auxParts(buffers);
  const auxBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const threads = recordedThreads(recording);
  const files = sideband.flatMap(({ record }) => (record.what === 'mmap' ? [record.file] : []));
  return {
    format: 'ptflame-recording-info',
    version: 1,
    file,
    sizeBytes,
    machine: { ...machine },
    command: command && [...command],
    event: eventName,
    settings: trace,
    time: timeOf(recording),
    traced: traced && timeBetween(perfTimeOf(traced.start), perfTimeOf(traced.end)),
    aux: { bytes: auxBytes, pieces: buffers.length, parts },
    losses: lossesOf(recording),
    samples: samplesOf(recording.samples),
    sides: sides.map(({ name, recording }) => ({
      file: name,
      samples: recording && samplesOf(recording.samples),
      lostRecords: recording?.lostRecords ?? 0,
    })),
    processes: new Set(threads.map(({ pid }) => pid).filter((pid) => pid !== null)).size,
    threads,
    mappedFiles: new Set(files).size,
    buildIds: buildIds.map((id) => ({ ...id })),
    damage: [...damage],
    decoding,
    estimate: trace === null || auxBytes === 0 ? null : estimateDecoding(auxBytes, trace.hasKernel),
  };
}

function samplesOf({ tables, unreadable, damaged, others }: Recording['samples']): RecordingInfo['samples'] {
  return {
    events: tables.map(({ event, length }) => ({ event, count: length })),
    unreadable,
    damaged,
    others: others.map(({ event, samples }) => ({ event, count: samples })),
    ...(lacksKernelNames(tables) && { lacksKernelNames: true as const }),
  };
}

function timeOf({ bounds }: Recording): RecordingInfo['time'] {
  return bounds && timeBetween(bounds.start, bounds.end);
}

function perfTimeOf(ns: bigint): PerfTime {
  return { seconds: Number(ns / 1_000_000_000n), ns: Number(ns % 1_000_000_000n) };
}

function timeBetween(start: PerfTime, end: PerfTime): NonNullable<RecordingInfo['time']> {
  return { start: timeText(start), end: timeText(end), durationNs: distanceNs(start, end) };
}

function timeText({ seconds, ns }: PerfTime): string {
  return `${seconds}.${String(ns).padStart(9, '0')}`;
}

/** Returns 0 for times in the wrong order. */
function distanceNs(start: PerfTime, end: PerfTime): number {
  return Math.max(0, (end.seconds - start.seconds) * 1e9 + end.ns - start.ns);
}

/** Sums up the buffers of each CPU or thread; either `cpu` or `tid` is null. */
function auxParts(buffers: readonly AuxBuffer[]): RecordingInfo['aux']['parts'] {
  const parts = new Map<string, RecordingInfo['aux']['parts'][number]>();
  for (const { cpu, tid, sizeBytes } of buffers) {
    const part = parts.get(`${cpu} ${tid}`) ?? { cpu: idOrNull(cpu), tid: idOrNull(tid), bytes: 0, pieces: 0 };
    part.bytes += sizeBytes;
    part.pieces++;
    parts.set(`${cpu} ${tid}`, part);
  }
  return [...parts.values()].sort((a, b) => (a.cpu ?? -1) - (b.cpu ?? -1) || (a.tid ?? -1) - (b.tid ?? -1));
}

function lossesOf({ auxRecords, lostRecords }: Recording): RecordingInfo['losses'] {
  const truncated = auxRecords.filter(({ isTruncated }) => isTruncated);
  return {
    truncated: truncated.length,
    truncatedAt: truncated.slice(0, MAX_TRUNCATED).map(lossPosition),
    collisions: auxRecords.filter(({ isCollision }) => isCollision).length,
    partial: auxRecords.filter(({ isPartial }) => isPartial).length,
    lostRecords,
  };
}

function lossPosition({ time, cpu, tid }: AuxRecord): RecordingInfo['losses']['truncatedAt'][number] {
  return { time: time && timeText(time), cpu: idOrNull(cpu), tid: idOrNull(tid) };
}

function idOrNull(id: number): number | null {
  return id < 0 ? null : id;
}

interface Ratios {
  /** Bytes of text per byte of trace. */
  readonly textBytes: { readonly least: number; readonly most: number };
  /** Lines per byte of trace. */
  readonly lines: { readonly least: number; readonly most: number };
}

/**
 * Minimum and maximum of `perf script --itrace=cre` (perf 6.1) on ten emulated recordings (python3, ls, gzip, xz, C and C++
 * programs). A tight loop of calls gave 149.
 */
const USER: Ratios = { textBytes: { least: 11, most: 40 }, lines: { least: 0.08, most: 0.3 } };
/** With the kernel, four emulated recordings gave 72 to 90, and 0.55 to 0.66: such a trace has fewer packets without branches. */
const KERNEL: Ratios = { textBytes: { least: 50, most: 110 }, lines: { least: 0.4, most: 0.8 } };
/** Speed of one perf process; the highest gives the least time. */
const TEXT_BYTES_PER_SECOND = { least: 25e6, most: 50e6 };

/** Estimates how much text a trace decodes to and how long perf takes, from the ratios of other traces. */
function estimateDecoding(auxBytes: number, hasKernel: boolean): NonNullable<RecordingInfo['estimate']> {
  const ratios = hasKernel ? KERNEL : USER;
  const times = ({ least, most }: { least: number; most: number }) => ({
    least: Math.round(auxBytes * least),
    most: Math.round(auxBytes * most),
  });
  const textBytes = times(ratios.textBytes);
  const seconds = {
    least: textBytes.least / TEXT_BYTES_PER_SECOND.most,
    most: textBytes.most / TEXT_BYTES_PER_SECOND.least,
  };
  return { lines: times(ratios.lines), textBytes, seconds };
}

type Thread = RecordingInfo['threads'][number];

/**
 * Collects the threads that a recording's records mention.
 *
 * Ordered by most switches, then by tid. Without the idle threads of the CPUs, which all have tid 0.
 */
function recordedThreads({ sideband, auxRecords, buffers }: Recording): Thread[] {
  const threads = new Map<number, Thread>();
  const threadOf = (tid: number): Thread => {
    const thread = threads.get(tid) ?? { tid, pid: null, name: null, switches: 0 };
    threads.set(tid, thread);
    return thread;
  };
  for (const { tid } of [...auxRecords, ...buffers]) threadOf(tid);
  for (const event of sideband) addEvent(event, threadOf);
  return [...threads.values()].filter(({ tid }) => tid > 0).sort((a, b) => b.switches - a.switches || a.tid - b.tid);
}

function addEvent({ tid, pid, record }: RecordedEvent, threadOf: (tid: number) => Thread): void {
  const running = threadOf(tid);
  if (pid > 0) running.pid = pid;
  if (record.what === 'switch' && record.direction === 'in') running.switches++;
  else if (record.what === 'comm') {
    const thread = threadOf(record.tid);
    thread.pid = idOrNull(record.pid);
    thread.name = Buffer.from(record.name, 'latin1').toString();
  } else if (record.what === 'fork') {
    const thread = threadOf(record.tid);
    thread.pid = idOrNull(record.pid);
    thread.name = threadOf(record.parent).name; // until a record names the thread itself
  }
}

/** Where a recording and its binaries are. */
interface RecordingPaths {
  readonly path: string;
  readonly symfs: string | null;
}

interface SampledDecoding {
  readonly decoding: RecordingInfo['decoding'];
  readonly traced: TracedTime | null;
}

/**
 * Decodes a sample of a recording, to say how many branches it has and how long decoding takes. Returns nulls for one that
 * ptflame cannot decode.
 */
export function sampleDecoding(recording: Recording, { path, symfs }: RecordingPaths): SampledDecoding {
  const roots = rootsOf(symfs);
  const found = findBinaries(recording, DISK_FILES, roots);
  const kernel = findTracedKernel(recording, path, DISK_FILES, roots);
  if (recording.damage.length > 0 || onlyPerfDecodes({ recording, found, kernel }) !== null)
    return { decoding: null, traced: null };
  const options = { name: path, path, symfs, recorded: null, broken: null };
  const all = decodeSample(encodedRecording(recording, { ...options, jumps: 'all' }));
  let secondsPerByte = 0;
  const calls = decodeSample(
    encodedRecording(recording, { ...options, jumps: 'none' }),
    undefined,
    (decodeStretches) => {
      decodeStretches(); // code that they reach first
      const beganMs = performance.now();
      const bytes = decodeStretches();
      secondsPerByte = (performance.now() - beganMs) / 1000 / bytes;
    },
  );
  const { pieces, bytes, ofBytes, errors, generatedErrors } = all;
  if (bytes === 0 || calls.bytes === 0) return { decoding: null, traced: null };
  const traced = tracedTime(encodedRecording(recording, { ...options, jumps: 'leaving' })); // as other commands decode it
  const decoding = {
    branches: all.branches,
    callsAndReturns: calls.branches,
    uncertainty: Math.max(all.uncertainty, calls.uncertainty),
    seconds: secondsPerByte * ofBytes,
    sample: { pieces, bytes, ofBytes, errors, generatedErrors },
  };
  return { decoding, traced };
}
