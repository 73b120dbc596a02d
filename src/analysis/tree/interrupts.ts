/**
 * Sums up the interrupts of a call tree: how often each hit which function, and the time that it took.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { kernelEntryOf } from '../../model/kernel-code.js';
import { SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
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
  /** The devices' functions that handled it, the most calls first: one entry serves all devices. */
  readonly handlers: readonly SymbolId[];
}

/** The most time first; equal ones in the order of the tree. */
export function interruptsOf(tree: CallTree, symbols: SymbolTable): InterruptSums[] {
  const times = sideTimes(tree, symbols);
  if (times === null) return [];
  const rows = new Map<string, Row>();
  const rowOf: (Row | undefined)[] = []; // by node: the interrupt that it is part of
  for (let node = ROOT + 1; node < tree.length; node++) {
    const symbol = tree.symbol[node];
    const around = rowOf[tree.parent[node]];
    rowOf[node] = around;
    if (around !== undefined && isHandler(tree, symbols, node))
      around.handled.set(symbol, (around.handled.get(symbol) ?? 0) + tree.calls[node]);
    if (symbol === NONE || !isInterrupt(symbols, symbol)) continue;
    const interrupted = tree.symbol[tree.parent[node]];
    const key = `${symbol} ${interrupted}`;
    const row = rows.get(key) ?? {
      symbol,
      interrupted,
      calls: 0,
      totalNs: 0,
      maxNs: Number.NEGATIVE_INFINITY,
      handled: new Map(),
    };
    rows.set(key, row);
    rowOf[node] = row;
    row.calls += tree.calls[node];
    row.totalNs += times.interruptNs[node];
    row.maxNs = Math.max(row.maxNs, tree.maxNs[node]);
  }
  return [...rows.values()]
    .sort((a, b) => b.totalNs - a.totalNs)
    .map(({ handled, ...row }) => ({ ...row, handlers: [...handled].sort((a, b) => b[1] - a[1]).map(([own]) => own) }));
}

type Row = { -readonly [Key in keyof Omit<InterruptSums, 'handlers'>]: InterruptSums[Key] } & {
  /** Calls of handlers. */
  readonly handled: Map<SymbolId, number>;
};

/** It calls the handlers of devices, and little else: older kernels have no function of their own for that. */
const CALLS_HANDLERS = /^_?_?handle_irq_event_percpu$/;
const NO_HANDLER =
  /^(__handle_irq_event_percpu|add_interrupt_randomness|note_interrupt|__irq_wake_thread|__traceiter_\w+|(perf_)?trace_\w+|__x86_\w+|_raw_spin_\w+)$/;

function isHandler({ parent, symbol }: CallTree, { name, kind }: SymbolTable, node: NodeId): boolean {
  const [own, caller] = [symbol[node], symbol[parent[node]]];
  if (caller === NONE || kind[own] === SymbolKind.Synthetic) return false;
  return CALLS_HANDLERS.test(name[caller] as string) && !NO_HANDLER.test(name[own] as string);
}

/** Softirqs run at the end of interrupts, or as part of system calls: they interrupt nothing. */
function isInterrupt(symbols: SymbolTable, symbol: SymbolId): boolean {
  const entry = kernelEntryOf(symbols, symbol);
  return entry === 'interrupt' || entry === 'NMI';
}
