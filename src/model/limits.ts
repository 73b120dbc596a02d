/**
 * Bounds that are told to people and kept by the program.
 */

/** Kernels count threads, processes and processors in 32 bits with a sign. */
export const MAX_ID = 2 ** 31 - 1;

/** An id that a kernel may have given out, or −1 where nobody knows it. */
export function isThreadId(id: number): boolean {
  return Number.isInteger(id) && id >= -1 && id <= MAX_ID;
}

/** 52 days. Times that are at most so far from where time is counted from differ by whole nanoseconds that a number holds. */
export const MAX_TIME_NS = 2 ** 52;

export function isPossibleTime(timeNs: number): boolean {
  return Math.abs(timeNs) <= MAX_TIME_NS;
}
