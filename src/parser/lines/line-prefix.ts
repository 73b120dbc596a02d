/**
 * Parses the usual beginning of a line from bytes: `mysqld 114078 [003] 858572.850211120:`, with or without the name of the
 * thread, a pid before the tid, and a CPU. Any other beginning is left to the reference parser (perf-line.ts).
 */
import { latin1Text } from '../../codec/bytes.js';

/** Words that neither begin like a number nor have a "=", as samples have it: the first number after them is the thread's. */
const NAME = '(?![\\d-])[!-<>-~]+(?: +(?![\\d-])[!-<>-~]+)*';
/** How perf begins a line that is a comment, one that is no event, and one of a guest. */
const OTHER = '#| *(?:instruction trace error|VM:)';
/** A fraction of a second has nine digits, or six without `--ns`; nine digits of seconds are 31 years of uptime. */
const PREFIX = new RegExp(
  `^(?!${OTHER}) *(?:(${NAME}) +)?(?:(\\d{1,9})/)?(\\d{1,9}) +(?:\\[(\\d{1,5})\\] +)?(\\d{1,9})\\.(\\d{9}|\\d{6}):`,
);
/** Names of threads have 15 bytes in 16 columns. */
const MAX_PREFIX_BYTES = 96;
const MAX_NAME_LENGTH = 64;

export const NOT_PRINTED = -1;

/** The beginning that many lines share: everything up to the dot of the time. */
export interface Head {
  /** Bytes as latin1 characters; null: not printed. */
  readonly comm: string | null;
  readonly tid: number;
  readonly pid: number; // or NOT_PRINTED, like the CPU
  readonly cpu: number;
  readonly seconds: number;
}

export interface LinePrefix {
  readonly head: Head;
  readonly ns: number;
  /** Offsets of the dot of the time, and after the colon. */
  readonly dot: number;
  readonly end: number;
}

/** Parses the prefix at `start`; null: it is not a usual one. */
export function readPrefix(bytes: Uint8Array, start: number): LinePrefix | null {
  const match = PREFIX.exec(latin1Text(bytes, start, start + MAX_PREFIX_BYTES));
  if (match === null) return null;
  const [{ length }, comm = null, pid = NOT_PRINTED, tid, cpu = NOT_PRINTED, seconds, fraction] = match;
  if (Number(tid) === 0 || (comm !== null && comm.length > MAX_NAME_LENGTH)) return null;
  const end = start + length;
  return {
    head: { comm, tid: Number(tid), pid: Number(pid), cpu: Number(cpu), seconds: Number(seconds) },
    ns: Number(fraction.padEnd(9, '0')),
    dot: end - fraction.length - 2,
    end,
  };
}
