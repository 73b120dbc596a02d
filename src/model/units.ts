/**
 * The units and ids that every column of the model is made of.
 */

/** Since `TraceMeta.originNs`. A float64 is exact to 2^53 ns, 104 days; machines run longer than that. */
export type Nanoseconds = number;
/** Thread id, as the kernel counts threads. */
export type Tid = number;
/** Row of a `SymbolTable`. */
export type SymbolId = number;
/** Row of `BranchSites`. */
export type SiteId = number;
/** Row of a `FunctionTable`: what replay tells apart as one function. */
export type FunctionId = number;
/** Row of a `CallTree`; 0 is the root. */
export type NodeId = number;

/** No such row, no such value: `null` does not fit a column. */
export const NONE = -1;

/** A machine address; one in the upper half (kernel) is its distance below 2^64, so that it stays exact. */
export type Address = number;
