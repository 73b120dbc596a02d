/**
 * Detects traces whose result may depend on the order of their inputs.
 */
import { MAX_TIME_NS } from '../../src/model/limits.js';
import type { PerfTime } from '../../src/model/trace/perf-time.js';
import { parsePerfLine } from '../../src/parser/lines/perf-line.js';
import type { PerfLine } from '../../src/parser/lines/perf-line-types.js';

const MAX_LINE_LENGTH = 64 * 1024;
/** If times are further apart, only those near the first one count. */
const MAX_SECONDS = Math.floor(MAX_TIME_NS / 1e9);

/**
 * If some branches have times and some do not, the first line decides which ones count; an error without a time is
 * dated by the lines before it in its own input.
 */
export function orderMatters(bytes: Buffer): boolean {
  const lines = bytes.toString('latin1').split(/\r?\n/);
  const parsed = lines.filter((line) => line.length <= MAX_LINE_LENGTH).map((line) => parsePerfLine(line));
  if (parsed.some((line) => (line.type === 'branch' || line.type === 'error') && timeOf(line) === null)) return true;
  const seconds = parsed.flatMap((line) => timeOf(line)?.seconds ?? []);
  const [first = 0, last = 0] = [seconds.reduce(smaller, Number.POSITIVE_INFINITY), seconds.reduce(larger, 0)];
  return last - first >= MAX_SECONDS;
}

function timeOf(line: PerfLine): PerfTime | null {
  if (line.type === 'error') return line.time;
  return line.type === 'branch' || line.type === 'sideband' ? line.prefix.time : null;
}

const smaller = (a: number, b: number) => Math.min(a, b);
const larger = (a: number, b: number) => Math.max(a, b);
