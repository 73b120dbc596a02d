/**
 * Computes how much of a tree's time is outside traced code, in stops, and how much of that is off CPU; and what the
 * width of a frame can mean.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import { isKernelCode, kernelEntryOf } from '../../model/kernel-code.js';
import { oncePerTable, SpecialSymbol, type SymbolTable } from '../../model/symbol-table.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../model/units.js';

/** The symbol stands for time outside traced code, not for a function. */
export function isStop(symbol: SymbolId): boolean {
  return symbol >= SpecialSymbol.Syscall && symbol <= SpecialSymbol.Lost;
}

/** The thread had no CPU. */
export function isOffCpu(symbol: SymbolId): boolean {
  return symbol === SpecialSymbol.OffCpu || symbol === SpecialSymbol.Preempted;
}

/** What the thread did is unknown. */
export function isLost(symbol: SymbolId): boolean {
  return symbol === SpecialSymbol.Lost;
}

/** The trace records when threads lost their CPU. `noted`: as its profile states; null: derived from time off CPU. */
export function recordsSwitches({ symbol }: Pick<CallTree, 'symbol'>, noted: boolean | null = null): boolean {
  return noted ?? symbol.some(isOffCpu);
}

/** Sums by node, each including all nodes below. */
export interface NodeTimeSums {
  readonly totalNs: Float64Array;
  readonly outsideNs: Float64Array;
  readonly offCpuNs: Float64Array;
  readonly lostNs: Float64Array;
}

// Parents come before children, so one backward pass sums every subtree.
export function timeSums({ length, parent, symbol, selfNs }: CallTree): NodeTimeSums {
  const sums = new Float64Array(4 * length); // one buffer for all: small trees are many
  const totalNs = sums.subarray(0, length);
  const outsideNs = sums.subarray(length, 2 * length);
  const offCpuNs = sums.subarray(2 * length, 3 * length);
  const lostNs = sums.subarray(3 * length);
  for (let node = 0; node < length; node++) {
    totalNs[node] = selfNs[node];
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

/** Sums of a node, a function or a tree. */
export interface TimeSums {
  readonly totalNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly lostNs: Nanoseconds;
}

/**
 * Returns the time that the thread certainly ran. If the trace has switches, that is everything except lost and off-CPU
 * time; else it is traced code alone, because waiting in a system call cannot be told from working in it.
 */
export function onCpuNs({ totalNs, outsideNs, offCpuNs, lostNs }: TimeSums, hasSwitches: boolean): Nanoseconds {
  return totalNs - (hasSwitches ? offCpuNs + lostNs : outsideNs);
}

export function timeSumsAt({ totalNs, outsideNs, offCpuNs, lostNs }: NodeTimeSums, node: NodeId): TimeSums {
  return { totalNs: totalNs[node], outsideNs: outsideNs[node], offCpuNs: offCpuNs[node], lostNs: lostNs[node] };
}

/** Whose code a function is. The callees of an interrupt are its own, and functions of unknown files are like their caller. */
const Side = { Unknown: 0, User: 1, Kernel: 2, Interrupt: 3 } as const;
type Side = (typeof Side)[keyof typeof Side];

/** Sums by node of the time in code, each including all nodes below. */
export interface SideTimes {
  readonly userNs: Float64Array;
  /** For the program: system calls and exceptions. */
  readonly kernelNs: Float64Array;
  /** Taken from whoever ran: interrupts, NMIs and softirqs. */
  readonly interruptNs: Float64Array;
}

/** Divides the time in code between program, kernel and interrupts; null: no code of the kernel ran. */
export function sideTimes(tree: CallTree, symbols: SymbolTable): SideTimes | null {
  const { length, parent, selfNs } = tree;
  const sides = sidesOf(tree, symbols);
  if (sides === null) return null;
  const sumsOf = (isMeant: Uint8Array) => {
    const sums = selfNs.map((ns, node) => (isMeant[node] ? ns : 0));
    for (let node = length - 1; node > 0; node--) sums[parent[node]] += sums[node];
    return sums;
  };
  return { userNs: sumsOf(sides.userNs), kernelNs: sumsOf(sides.kernelNs), interruptNs: sumsOf(sides.interruptNs) };
}

/** Returns 1 for nodes whose own time is of a kind, by kind and node; null: no code of the kernel ran. */
export function sidesOf(
  { length, parent, symbol }: Pick<CallTree, 'length' | 'parent' | 'symbol'>,
  symbols: SymbolTable,
): Readonly<Record<keyof SideTimes, Uint8Array>> | null {
  const known = knownSides(symbols);
  if (!known.hasKernel) return null;
  const side = new Uint8Array(length).fill(Side.User);
  for (let node = 1; node < length; node++) {
    const own = known.sides[symbol[node]] ?? Side.Unknown;
    const caller = side[parent[node]] as Side;
    side[node] = own === Side.Unknown || (own === Side.Kernel && caller === Side.Interrupt) ? caller : own;
  }
  if (!side.some((own) => own > Side.User)) return null;
  const of = (wanted: Side) => side.map((own, node) => (own === wanted && !isStop(symbol[node]) ? 1 : 0));
  return { userNs: of(Side.User), kernelNs: of(Side.Kernel), interruptNs: of(Side.Interrupt) };
}

const knownSides = /* @__PURE__ */ oncePerTable((symbols) => {
  const sides = symbols.name.map((_, row) => sideOf(symbols, row));
  return { sides, hasKernel: sides.some((side) => side > Side.User) };
});

function sideOf(symbols: SymbolTable, symbol: SymbolId): Side {
  if (isStop(symbol)) return Side.Unknown;
  const entry = kernelEntryOf(symbols, symbol);
  if (entry !== null) return entry === 'system call' || entry === 'exception' ? Side.Kernel : Side.Interrupt;
  const isKernel = isKernelCode(symbols, symbol);
  return isKernel === null ? Side.Unknown : isKernel ? Side.Kernel : Side.User;
}

/**
 * Wall time; time on CPU; outside traced code; off CPU; or calls. Each node has its own part, and all parts add up to
 * the total.
 */
export const METRICS = ['wall', 'cpu', 'outside', 'off-cpu', 'calls'] as const;
export type Metric = (typeof METRICS)[number];

/** By node, without its children. `hasSwitches`: see `onCpuNs`. */
export function ownWeights(tree: CallTree, metric: Metric, hasSwitches: boolean): Float64Array {
  if (metric === 'calls') return tree.calls;
  if (metric === 'wall') return tree.selfNs;
  const counts = COUNTS[metric];
  return tree.selfNs.map((ns, node) => (counts(tree.symbol[node], hasSwitches) ? ns : 0));
}

const COUNTS: Readonly<Record<Exclude<Metric, 'wall' | 'calls'>, (symbol: SymbolId, hasSwitches: boolean) => boolean>> =
  {
    cpu: (symbol, hasSwitches) => !(hasSwitches ? isOffCpu(symbol) || isLost(symbol) : isStop(symbol)),
    outside: isStop,
    'off-cpu': isOffCpu,
  };
