/**
 * How much text a trace becomes, and how long perf needs for it: a guess, from what other traces gave.
 */
import type { RecordingInfo } from './recording-info.js';

/**
 * For each byte of trace, from `perf script --itrace=cre` of perf 6.1 on ten emulated recordings (python3, ls, gzip, xz, C
 * and C++ programs): the least and the most. A tight loop of calls gave 149 bytes of text.
 */
const TEXT_BYTES = { least: 11, most: 40 };
const LINES = { least: 0.08, most: 0.3 };
/** Of text in a second, by one process; the most takes the least time. */
const TEXT_BYTES_A_SECOND = { least: 25e6, most: 50e6 };

export function estimateDecoding(auxBytes: number): NonNullable<RecordingInfo['estimate']> {
  const times = ({ least, most }: { least: number; most: number }) => ({
    least: Math.round(auxBytes * least),
    most: Math.round(auxBytes * most),
  });
  const textBytes = times(TEXT_BYTES);
  const seconds = {
    least: textBytes.least / TEXT_BYTES_A_SECOND.most,
    most: textBytes.most / TEXT_BYTES_A_SECOND.least,
  };
  return { lines: times(LINES), textBytes, seconds };
}
