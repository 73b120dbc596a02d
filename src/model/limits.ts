/**
 * Limits of ids and times.
 */

/** Kernels number threads, processes and CPUs with signed 32-bit integers. */
export const MAX_ID = 2 ** 31 - 1;

/** Returns whether a kernel may have assigned the id; −1, for unknown, is valid, too. */
export function isThreadId(id: number): boolean {
  return Number.isInteger(id) && id >= -1 && id <= MAX_ID;
}

/** 52 days. Two times at most this far from the origin differ by nanoseconds that a number holds exactly. */
export const MAX_TIME_NS = 2 ** 52;

export function isPossibleTime(timeNs: number): boolean {
  return Math.abs(timeNs) <= MAX_TIME_NS;
}
