/**
 * The units and ids of the model's columns.
 */

/** Since `TraceMeta.originNs`, because a float64 is exact up to 2^53 ns, 104 days, and machines run longer. */
export type Nanoseconds = number;
/** Thread id, as the kernel counts threads. */
export type Tid = number;
/** Row of a `SymbolTable`. */
export type SymbolId = number;
/** Row of `BranchSites`. */
export type SiteId = number;
/** Row of a `FunctionTable`: what replay treats as one function. */
export type FunctionId = number;
/** Row of a `CallTree`; 0 is the root. */
export type NodeId = number;

/**
 * The kernel counts the idle task of every CPU as thread 0. That of CPU N is this thread plus N: Linux assigns ids below
 * 2^22 only.
 */
const FIRST_IDLE: Tid = 2 ** 22;

/** Returns the thread that is the idle task of a CPU. */
export function idleTid(cpu: number): Tid {
  return FIRST_IDLE + cpu;
}

/** Returns the name of the idle task of a CPU, as the kernel has it. */
export function idleName(cpu: number): string {
  return `swapper/${cpu}`;
}

/** Returns the CPU whose idle task a thread of this name is; null: it is another thread. */
export function idleCpu(tid: Tid, comm: string | null): number | null {
  const cpu = tid - FIRST_IDLE;
  return cpu >= 0 && comm === idleName(cpu) ? cpu : null;
}

/** A part of a thread's or a trace's time: `startNs` is included, `endNs` is not. */
export interface Bounds {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

export const UNBOUNDED: Bounds = { startNs: Number.NEGATIVE_INFINITY, endNs: Number.POSITIVE_INFINITY };

/** No such row, no such value: columns cannot hold `null`. */
export const NONE = -1;

/** A machine address. One in the upper half (kernel) is negative, counted from 2^64, so that it stays exact. */
export type Address = number;
