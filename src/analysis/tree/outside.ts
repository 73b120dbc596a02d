/**
 * Which time of a tree is outside of traced code: in stops of the trace, of which some are off the processor.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import { SpecialSymbol } from '../../model/names/symbol-table.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../model/units.js';

/** Stands for time, not for a function. */
export function isStop(symbol: SymbolId): boolean {
  return symbol >= SpecialSymbol.Syscall && symbol <= SpecialSymbol.Lost;
}

/** The thread had no processor. */
export function isOffCpu(symbol: SymbolId): boolean {
  return symbol === SpecialSymbol.OffCpu || symbol === SpecialSymbol.Preempted;
}

/** Nobody knows what the thread did. */
export function isLost(symbol: SymbolId): boolean {
  return symbol === SpecialSymbol.Lost;
}

/** The trace tells when threads lost their processors. `noted`: what its profile says; where that is nothing, waits tell. */
export function recordsSwitches({ symbol }: Pick<CallTree, 'symbol'>, noted: boolean | null = null): boolean {
  return noted ?? symbol.some(isOffCpu);
}

/** Whole-tree sums: of each node and all below it. */
export interface NodeTimeSums {
  readonly totalNs: Float64Array;
  readonly outsideNs: Float64Array;
  readonly offCpuNs: Float64Array;
  readonly lostNs: Float64Array;
}

// Parents come before children, so one backward pass sums every subtree.
export function timeSums({ length, parent, symbol, selfNs }: CallTree): NodeTimeSums {
  const totalNs = selfNs.slice();
  const outsideNs = new Float64Array(length);
  const offCpuNs = new Float64Array(length);
  const lostNs = new Float64Array(length);
  for (let node = 0; node < length; node++) {
    if (isStop(symbol[node])) outsideNs[node] = selfNs[node];
    if (isOffCpu(symbol[node])) offCpuNs[node] = selfNs[node];
    if (isLost(symbol[node])) lostNs[node] = selfNs[node];
  }
  for (let node = length - 1; node > 0; node--) {
    const caller = parent[node];
    totalNs[caller] += totalNs[node];
    outsideNs[caller] += outsideNs[node];
    offCpuNs[caller] += offCpuNs[node];
    lostNs[caller] += lostNs[node];
  }
  return { totalNs, outsideNs, offCpuNs, lostNs };
}

/** Of a node, a function or a tree. */
export interface TimeSums {
  readonly totalNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly lostNs: Nanoseconds;
}

/**
 * Time that the thread surely ran: with switches in the trace all but what was lost or off the processor, without them traced
 * code alone, for who waits in a system call looks like who works in one.
 */
export function onCpuNs({ totalNs, outsideNs, offCpuNs, lostNs }: TimeSums, hasSwitches: boolean): Nanoseconds {
  return totalNs - (hasSwitches ? offCpuNs + lostNs : outsideNs);
}

export function timeSumsAt({ totalNs, outsideNs, offCpuNs, lostNs }: NodeTimeSums, node: NodeId): TimeSums {
  return { totalNs: totalNs[node], outsideNs: outsideNs[node], offCpuNs: offCpuNs[node], lostNs: lostNs[node] };
}
