/**
 * A recording → what several decoders are to decode of it, side by side.
 *
 * A decoder that is told so leaves out the trace of other processors (`perf script -C`) or of other times (`--time`)
 * without decoding it. A trace is cut in time only where the kernel took a full buffer away (an AUX record): the processor
 * traced nothing at that moment, and so no branch lies near the cut.
 */
import { comparePerfTimes, nextNanosecond, type PerfTime } from '../model/trace/perf-time.js';
import { NONE } from '../model/units.js';
import type { AuxRecord, Recording } from './recording.js';

/** What one decoder decodes; null: no bound. */
export interface DecodeJob {
  readonly cpus: readonly number[] | null;
  /** The first and the last nanosecond. */
  readonly from: PerfTime | null;
  readonly to: PerfTime | null;
  readonly auxBytes: number;
}

/** A decoder reads all symbols anew, and all records: less is not worth one. */
const MIN_JOB_BYTES = 4 * 1024 * 1024;
const MAX_DECODERS = 64;
/** In one job of several processors: ten alike for nine decoders would take twice as long as they should. */
const MAX_SHARES = 1.5;

export interface PlanOptions {
  /** How many run at a time. */
  readonly decoders: number;
  /** Less trace is not worth a decoder. Default: 4 MiB. */
  readonly leastBytes?: number;
}

/** Jobs by size, the largest first. */
export function planJobs(recording: Recording, { decoders, leastBytes = MIN_JOB_BYTES }: PlanOptions): DecodeJob[] {
  const bytesOf = bytesByCpu(recording);
  const total = [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0);
  const whole = { cpus: null, from: null, to: null, auxBytes: total };
  const bins = Math.min(decoders, MAX_DECODERS, Math.floor(total / leastBytes));
  if (bins < 2 || !canBeCut(recording)) return [whole];
  const share = total / bins;
  const cut = (cpu: number, count: number) => cutCpu(recording, cpu, bytesOf.get(cpu) ?? 0, count);
  // a little more than a share is not worth another decoder
  const cuts = [...bytesOf].map(([cpu, auxBytes]) => cut(cpu, Math.ceil(auxBytes / (1.25 * share))));
  const parts = cuts.filter((cut) => cut.length > 1).flat();
  const uncut = cuts.filter((cut) => cut.length === 1).flat();
  const groups = grouped(uncut, share).flatMap((group) =>
    group.cpus && group.auxBytes > MAX_SHARES * share ? group.cpus.flatMap((cpu) => cut(cpu, 2)) : [group],
  );
  const jobs = [...parts, ...groups];
  return jobs.length < 2 ? [whole] : jobs.sort((a, b) => b.auxBytes - a.auxBytes);
}

/** Without times nothing but the whole is certain, nor with buffers of threads beside others; a snapshot's overlap. */
function canBeCut({ trace, buffers }: Recording): boolean {
  const areAlike = buffers.every(({ cpu }) => (cpu === NONE) === (buffers[0]?.cpu === NONE));
  return trace?.hasTime === true && !trace.isSnapshot && areAlike;
}

/** By processor; NONE: of threads, whose processors nobody knows. */
function bytesByCpu({ buffers }: Recording): Map<number, number> {
  const bytesOf = new Map<number, number>();
  for (const { cpu, sizeBytes } of buffers) bytesOf.set(cpu, (bytesOf.get(cpu) ?? 0) + sizeBytes);
  return bytesOf;
}

/** In time, into so many parts at most. */
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

/** Before the part that is to begin there, or at its beginning. */
function isAt(time: PerfTime, from: PerfTime | null): boolean {
  return from !== null && comparePerfTimes(time, from) <= 0;
}

/** Whole processors, together up to a share, which may be none of the trace; the largest first into the smallest group. */
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
