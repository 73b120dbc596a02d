/**
 * The traces of which nobody promises that the order of their inputs changes nothing.
 */
import { MAX_TIME_NS } from '../../src/model/limits.js';
import type { PerfTime } from '../../src/model/trace/perf-time.js';
import { parsePerfLine } from '../../src/parser/lines/perf-line.js';
import type { PerfLine } from '../../src/parser/lines/perf-line-types.js';

const LONGEST_LINE = 64 * 1024;
/** Of times further apart than that, those near the first one count. */
const MOST_SECONDS = Math.floor(MAX_TIME_NS / 1e9);

/**
 * Of branches with times and without, the first line decides which ones count; an error without a time is dated by
 * what its own input had before it.
 */
export function orderMatters(bytes: Buffer): boolean {
  const lines = bytes.toString('latin1').split(/\r?\n/);
  const parsed = lines.filter((line) => line.length <= LONGEST_LINE).map((line) => parsePerfLine(line));
  if (parsed.some((line) => (line.type === 'branch' || line.type === 'error') && timeOf(line) === null)) return true;
  const seconds = parsed.flatMap((line) => timeOf(line)?.seconds ?? []);
  const [first = 0, last = 0] = [seconds.reduce(smaller, Number.POSITIVE_INFINITY), seconds.reduce(larger, 0)];
  return last - first >= MOST_SECONDS;
}

function timeOf(line: PerfLine): PerfTime | null {
  if (line.type === 'error') return line.time;
  return line.type === 'branch' || line.type === 'sideband' ? line.prefix.time : null;
}

const smaller = (a: number, b: number) => Math.min(a, b);
const larger = (a: number, b: number) => Math.max(a, b);
