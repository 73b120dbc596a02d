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
