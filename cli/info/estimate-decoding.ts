/**
 * Estimates how much text a trace decodes to and how long perf takes, from the ratios of other traces.
 */
import type { RecordingInfo } from './recording-info.js';

/**
 * Bytes of text per byte of trace: minimum and maximum of `perf script --itrace=cre` (perf 6.1) on ten emulated recordings
 * (python3, ls, gzip, xz, C and C++ programs). A tight loop of calls gave 149.
 */
const TEXT_BYTES = { least: 11, most: 40 };
/** Lines per byte of trace, from the same recordings. */
const LINES = { least: 0.08, most: 0.3 };
/** Speed of one perf process; the highest gives the least time. */
const TEXT_BYTES_PER_SECOND = { least: 25e6, most: 50e6 };

export function estimateDecoding(auxBytes: number): NonNullable<RecordingInfo['estimate']> {
  const times = ({ least, most }: { least: number; most: number }) => ({
    least: Math.round(auxBytes * least),
    most: Math.round(auxBytes * most),
  });
  const textBytes = times(TEXT_BYTES);
  const seconds = {
    least: textBytes.least / TEXT_BYTES_PER_SECOND.most,
    most: textBytes.most / TEXT_BYTES_PER_SECOND.least,
  };
  return { lines: times(LINES), textBytes, seconds };
}
