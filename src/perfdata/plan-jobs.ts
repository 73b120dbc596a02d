/**
 * Divides a recording into jobs for decoders that run in parallel.
 *
 * On request, a decoder skips the trace of other CPUs (`perf script -C`) or other times (`--time`)
 * without decoding it. A trace is divided in time only where the kernel took a full buffer (an AUX record): the CPU
 * traced nothing at that moment, so no branch is near the border.
 */
import { comparePerfTimes, nextNanosecond, type PerfTime } from '../model/trace/perf-time.js';
import { NONE } from '../model/units.js';
import type { AuxRecord, Recording } from './recording.js';

/** The part that one decoder decodes; null: unbounded. */
export interface DecodeJob {
  readonly cpus: readonly number[] | null;
  /** The first and the last nanosecond. */
  readonly from: PerfTime | null;
  readonly to: PerfTime | null;
  readonly auxBytes: number;
}

/** Every decoder reads all symbols and records again, which does not pay for less. */
const MIN_JOB_BYTES = 4 * 1024 * 1024;
const MAX_DECODERS = 64;
/** Limit for a job of several CPUs: ten equal CPUs on nine decoders would otherwise take twice as long as necessary. */
const MAX_SHARES = 1.5;

export interface PlanOptions {
  /** How many run at the same time. */
  readonly decoders: number;
  /** Minimum of trace for a decoder. Default: 4 MiB. */
  readonly leastBytes?: number;
}

/** Returns jobs by size, the largest first. */
export function planJobs(recording: Recording, { decoders, leastBytes = MIN_JOB_BYTES }: PlanOptions): DecodeJob[] {
  const bytesOf = bytesByCpu(recording);
  const total = [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0);
  const single = { cpus: null, from: null, to: null, auxBytes: total };
  const bins = Math.min(decoders, MAX_DECODERS, Math.floor(total / leastBytes));
  if (bins < 2 || !canBeCut(recording)) return [single];
  const share = total / bins;
  const cut = (cpu: number, count: number) => cutCpu(recording, cpu, bytesOf.get(cpu) ?? 0, count);
  // slightly more than a share is not worth another decoder
  const cuts = [...bytesOf].map(([cpu, auxBytes]) => cut(cpu, Math.ceil(auxBytes / (1.25 * share))));
  const parts = cuts.filter((cut) => cut.length > 1).flat();
  const uncut = cuts.filter((cut) => cut.length === 1).flat();
  const groups = grouped(uncut, share).flatMap((group) =>
    group.cpus && group.auxBytes > MAX_SHARES * share ? group.cpus.flatMap((cpu) => cut(cpu, 2)) : [group],
  );
  const jobs = [...parts, ...groups];
  return jobs.length < 2 ? [single] : jobs.sort((a, b) => b.auxBytes - a.auxBytes);
}

/** Without times there is no safe border, nor with buffers per thread next to others; the buffers of a snapshot overlap. */
function canBeCut({ trace, buffers }: Recording): boolean {
  const areAlike = buffers.every(({ cpu }) => (cpu === NONE) === (buffers[0]?.cpu === NONE));
  return trace?.hasTime === true && !trace.isSnapshot && areAlike;
}

/** By CPU; NONE: buffers of threads, whose CPUs are unknown. */
function bytesByCpu({ buffers }: Recording): Map<number, number> {
  const bytesOf = new Map<number, number>();
  for (const { cpu, sizeBytes } of buffers) bytesOf.set(cpu, (bytesOf.get(cpu) ?? 0) + sizeBytes);
  return bytesOf;
}

/** Divides the trace of a CPU in time, into at most `count` parts. */
function cutCpu({ auxRecords }: Recording, cpu: number, auxBytes: number, count: number): DecodeJob[] {
  const cpus = cpu === NONE ? null : [cpu];
  const own = auxRecords.filter((record) => record.cpu === cpu);
  const parts: DecodeJob[] = [];
  let from: PerfTime | null = null;
  let taken = 0;
  for (const { time, sizeBytes } of byTime(own).slice(0, -1)) {
    taken += sizeBytes;
    if (parts.length + 1 === count || taken < auxBytes / count || isAt(time, from)) continue;
    parts.push({ cpus, from, to: time, auxBytes: taken });
    from = nextNanosecond(time);
    taken = 0;
  }
  const before = parts.reduce((sum, part) => sum + part.auxBytes, 0);
  return [...parts, { cpus, from, to: null, auxBytes: Math.max(0, auxBytes - before) }];
}

function byTime(records: readonly AuxRecord[]): (AuxRecord & { time: PerfTime })[] {
  const timed = records.filter((record): record is AuxRecord & { time: PerfTime } => record.time !== null);
  return timed.sort((a, b) => comparePerfTimes(a.time, b.time));
}

/** Whether a time is not after the beginning of the next part. */
function isAt(time: PerfTime, from: PerfTime | null): boolean {
  return from !== null && comparePerfTimes(time, from) <= 0;
}

/** Groups complete CPUs up to a share, which may be zero: adds the largest to the smallest group, one after the other. */
function grouped(uncut: readonly DecodeJob[], share: number): DecodeJob[] {
  const total = uncut.reduce((sum, { auxBytes }) => sum + auxBytes, 0);
  const groups = Array.from({ length: Math.min(uncut.length, Math.max(1, Math.ceil(total / share))) }, () => ({
    cpus: [] as number[],
    auxBytes: 0,
  }));
  for (const { cpus, auxBytes } of uncut.toSorted((a, b) => b.auxBytes - a.auxBytes)) {
    const smallest = groups.reduce((least, group) => (group.auxBytes < least.auxBytes ? group : least));
    smallest.cpus.push(...(cpus ?? []));
    smallest.auxBytes += auxBytes;
  }
  return groups.map(({ cpus, auxBytes }) => ({
    cpus: cpus.length === 0 ? null : cpus.sort((a, b) => a - b),
    from: null,
    to: null,
    auxBytes,
  }));
}
