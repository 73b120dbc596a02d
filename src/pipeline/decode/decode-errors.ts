/**
 * Turns errors of the decoder, and those that the recording's own records report, into gaps, as perf prints them.
 */
import type { DecodedError } from '../../decode/decoded-part.js';
import { codeAt, type Image } from '../../decode/images.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import { NONE, type Tid } from '../../model/units.js';
import type { Recording } from '../../perfdata/recording.js';
import { nsOf } from './decode-plan.js';

export interface CpuError extends Omit<DecodedError, 'slot'> {
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
const END_OF_TIME = 2n ** 64n - 1n;

/** Returns an error where the kernel's buffer was full. */
export function truncations({ auxRecords, sideband }: Recording, originNs: bigint): CpuError[] {
  const pidOf = new Map(sideband.map(({ tid, pid }) => [tid, pid]));
  return auxRecords.flatMap(({ cpu, tid, time, isTruncated }) => {
    if (!isTruncated || time === null) return [];
    return [{ cpu, tid, pid: pidOf.get(tid) ?? NONE, timeNs: Number(nsOf(time) - originNs), code: LOST_DATA, ip: 0n }];
  });
}

/**
 * Returns the gaps of these errors, in order of time. Of a binary that cannot be read perf reports only the first error, over
 * all CPUs. `binaries`: those that can be read, by recorded path.
 */
export function gapRecords(
  errors: readonly CpuError[],
  images: readonly Image[],
  binaries: ReadonlyMap<string, string>,
): TraceRecord[] {
  const reported = new Set<string>();
  const records: TraceRecord[] = [];
  for (const { tid, pid, cpu, timeNs, code, ip } of errors.toSorted(byTimeAndCpu)) {
    const address = Number(BigInt.asIntN(64, ip));
    const missing = code === NO_CODE ? missingBinary(images, address, binaries) : null;
    if (missing !== null && reported.has(missing)) continue;
    if (missing !== null) reported.add(missing);
    const message = MESSAGES.get(code) ?? 'Unknown error!';
    records.push({ what: 'gap', tid, pid, cpu, timeNs, code, message, ip: address || Number.NaN });
  }
  return records;
}

function byTimeAndCpu(a: CpuError, b: CpuError): number {
  return a.timeNs - b.timeNs || a.cpu - b.cpu;
}

function missingBinary(
  images: readonly Image[],
  address: number,
  binaries: ReadonlyMap<string, string>,
): string | null {
  for (const image of images) {
    const code = codeAt(image, address, END_OF_TIME);
    if (code !== null && !binaries.has(code.file)) return code.file;
  }
  return null;
}
