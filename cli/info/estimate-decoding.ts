/**
 * Estimates how much text a trace decodes to and how long perf takes, from the ratios of other traces.
 */
import type { RecordingInfo } from './recording-info.js';

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

export function estimateDecoding(auxBytes: number, hasKernel: boolean): NonNullable<RecordingInfo['estimate']> {
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
