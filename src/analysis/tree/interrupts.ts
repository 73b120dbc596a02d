/**
 * Sums up the interrupts of a call tree: how often each hit which function, and the time that it took.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { kernelEntryOf } from '../../model/kernel-code.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import { functionBelow } from './functions.js';
import { sideTimes } from './outside.js';

/** What an interrupt or an NMI did to a function, on all paths. */
export interface InterruptSums {
  /** The function that the kernel began in. */
  readonly symbol: SymbolId;
  /** The function that ran; NONE: code that is not traced. */
  readonly interrupted: SymbolId;
  readonly calls: number;
  /** With those that interrupted this one; without time in which the thread had no CPU. */
  readonly totalNs: Nanoseconds;
  /** The longest complete one, as the clock says; -Infinity: none is complete. */
  readonly maxNs: Nanoseconds;
}

/** The most time first; equal ones in the order of the tree. */
export function interruptsOf(tree: CallTree, symbols: SymbolTable): InterruptSums[] {
  const times = sideTimes(tree, symbols);
  if (times === null) return [];
  const rows = new Map<string, { -readonly [Key in keyof InterruptSums]: InterruptSums[Key] }>();
  for (let node = ROOT + 1; node < tree.length; node++) {
    const symbol = tree.symbol[node];
    if (symbol === NONE || !isInterrupt(symbols, symbol)) continue;
    const interrupted = tree.symbol[functionBelow(tree, node)];
    const key = `${symbol} ${interrupted}`;
    const row = rows.get(key) ?? { symbol, interrupted, calls: 0, totalNs: 0, maxNs: Number.NEGATIVE_INFINITY };
    rows.set(key, row);
    row.calls += tree.calls[node];
    row.totalNs += times.interruptNs[node];
    row.maxNs = Math.max(row.maxNs, tree.maxNs[node]);
  }
  return [...rows.values()].sort((a, b) => b.totalNs - a.totalNs);
}

/** Softirqs run at the end of interrupts, or as part of system calls: they interrupt nothing. */
function isInterrupt(symbols: SymbolTable, symbol: SymbolId): boolean {
  const entry = kernelEntryOf(symbols, symbol);
  return entry === 'interrupt' || entry === 'NMI';
}
