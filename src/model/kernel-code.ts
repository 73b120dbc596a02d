/**
 * What names tell of the kernel's functions: where the kernel begins to run, and on whose behalf.
 */
import { dsoOf, homeOfCode, SymbolKind, type SymbolTable } from './symbol-table.js';
import type { SymbolId } from './units.js';

/** Why the kernel began to run. An exception is what the program did, such as a page fault. */
export const KERNEL_ENTRIES = ['system call', 'NMI', 'exception', 'interrupt', 'softirq'] as const;
export type KernelEntry = (typeof KERNEL_ENTRIES)[number];

/** In this order: "entry_SYSCALL_64_after_hwframe", "asm_exc_page_fault", "asm_sysvec_apic_timer_interrupt"; since Linux 5.8. */
const NAMES = [
  /^entry_(SYS|INT80)/,
  /^asm_exc_nmi/,
  /^asm_exc_/,
  /^asm_(sysvec_|(common|spurious)_i)|^irq_entries_/,
  /^(__do_softirq|handle_softirqs)$/,
];

/** Returns why the kernel began to run, if it does so in this function; else null. */
export function kernelEntryOf(symbols: SymbolTable, symbol: SymbolId): KernelEntry | null {
  if (symbols.kind[symbol] !== SymbolKind.Function || isKernelCode(symbols, symbol) === false) return null;
  return KERNEL_ENTRIES[NAMES.findIndex((name) => name.test(symbols.name[symbol] as string))] ?? null;
}

/** Whether a function is the kernel's; null: its file is not recorded. */
export function isKernelCode(symbols: SymbolTable, symbol: SymbolId): boolean | null {
  const home = homeOfCode(dsoOf(symbols, symbol));
  return home === 'unmapped' ? null : home === 'kernel';
}
