/**
 * Turns errors of the decoder, and those that the recording's own records report, into gaps, as perf prints them.
 */

import { codeAt, type Image } from '../../decode/images.js';
import type { DecodedError } from '../../decode/parts.js';
import type { Slot } from '../../decode/schedule.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import { type Address, NONE, type Tid } from '../../model/units.js';
import type { Recording } from '../../perfdata/recording.js';
import { nsOf } from './decode-plan.js';
import type { DecodeContext } from './decode-task.js';

export interface CpuError extends Omit<DecodedError, 'slot'> {
  /** Whose code is missing, as recorded; null: another error, or no file. */
  readonly file: string | null;
  readonly cpu: number;
  readonly tid: Tid;
  readonly pid: number;
}

const NO_CODE = 5;
const LOST_DATA = 8;
/** perf's messages, by its numbers of errors. */
const MESSAGES: ReadonlyMap<number, string> = new Map([
  [3, 'Bad packet'],
  [NO_CODE, 'Failed to get instruction'],
  [6, "Trace doesn't match instruction"],
  [7, 'Overflow packet'],
  [LOST_DATA, 'Lost trace data'],
  [10, 'Never-ending loop (refer perf config intel-pt.max-loops)'],
]);

/** `trace`: the CPU on which a decoder found the error. */
export function cpuError(
  { slot: row, ...error }: DecodedError,
  { trace, slots }: DecodeContext['cpus'][number],
  images: readonly Image[],
): CpuError {
  const { tid, pid, image, tick } = slots[row] as Slot;
  const mapped = error.code === NO_CODE ? images[image - 1] : undefined;
  const file = mapped === undefined ? null : (codeAt(mapped, toAddress(error.ip), tick)?.file ?? null);
  return { ...error, tid, pid, cpu: trace.cpu, file };
}

function toAddress(ip: bigint): Address {
  return Number(BigInt.asIntN(64, ip));
}

/** Returns an error where the kernel's buffer was full. */
export function truncations({ auxRecords, sideband }: Recording, originNs: bigint): CpuError[] {
  const pidOf = new Map(sideband.map(({ tid, pid }) => [tid, pid]));
  return auxRecords.flatMap(({ cpu, tid, time, isTruncated }) => {
    if (!isTruncated || time === null) return [];
    return [
      {
        cpu,
        tid,
        pid: pidOf.get(tid) ?? NONE,
        timeNs: Number(nsOf(time) - originNs),
        code: LOST_DATA,
        ip: 0n,
        file: null,
      },
    ];
  });
}

/**
 * Returns the gaps of these errors, in order of time. Of a binary that cannot be read perf reports only the first error, over
 * all CPUs. `binaries`: those that can be read, by recorded path.
 */
export function gapRecords(errors: readonly CpuError[], binaries: ReadonlyMap<string, string>): TraceRecord[] {
  const reported = new Set<string>();
  const records: TraceRecord[] = [];
  for (const { tid, pid, cpu, timeNs, code, ip, file } of errors.toSorted(byTimeAndCpu)) {
    const missing = file !== null && !binaries.has(file) ? file : null;
    if (missing !== null && reported.has(missing)) continue;
    if (missing !== null) reported.add(missing);
    const message = MESSAGES.get(code) ?? 'Unknown error!';
    records.push({ what: 'gap', tid, pid, cpu, timeNs, code, message, ip: toAddress(ip) || Number.NaN });
  }
  return records;
}

function byTimeAndCpu(a: CpuError, b: CpuError): number {
  return a.timeNs - b.timeNs || a.cpu - b.cpu;
}
