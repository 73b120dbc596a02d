/**
 * What names tell of the kernel's functions: where the kernel begins to run, and on whose behalf.
 */
import { dsoOf, homeOfCode, SymbolKind, type SymbolTable } from './symbol-table.js';
import type { SymbolId } from './units.js';

/** Why the kernel began to run. An exception is what the program did, such as a page fault. */
export const KERNEL_ENTRIES = ['system call', 'exception', 'interrupt', 'NMI', 'softirq'] as const;
export type KernelEntry = (typeof KERNEL_ENTRIES)[number];

// "entry_SYSCALL_64_after_hwframe", "asm_exc_page_fault", "asm_sysvec_apic_timer_interrupt"; names without "asm_" are those
// of kernels before 5.8, and not certain without a file.
const ENTRY_NAMES: readonly (readonly [KernelEntry, RegExp])[] = [
  ['system call', /^entry_(?:SYSCALL|SYSENTER|INT80)_\w+$|^asm_int80_emulation$/],
  ['NMI', /^asm_exc_nmi\w*$/],
  ['exception', /^asm_exc_\w+$/],
  ['interrupt', /^asm_(?:common|spurious)_interrupt$|^asm_sysvec_\w+$|^(?:irq|spurious)_entries_start$/],
  ['softirq', /^(?:__do_softirq|handle_softirqs)$/],
];
const OLD_ENTRY_NAMES: readonly (readonly [KernelEntry, RegExp])[] = [
  ['exception', /^(?:async_page_fault|page_fault|general_protection|divide_error|invalid_op|double_fault|int3)$/],
  ['interrupt', /^(?:common|apic_timer|reschedule|call_function|call_function_single|irq_work|spurious)_interrupt$/],
  ['NMI', /^nmi$/],
];

/** Returns why the kernel began to run, if it does so in this function; else null. */
export function kernelEntryOf(symbols: SymbolTable, symbol: SymbolId): KernelEntry | null {
  const home = symbols.kind[symbol] === SymbolKind.Function ? homeOfCode(dsoOf(symbols, symbol)) : 'file';
  if (home !== 'kernel' && home !== 'unmapped') return null;
  const names = home === 'kernel' ? [...ENTRY_NAMES, ...OLD_ENTRY_NAMES] : ENTRY_NAMES;
  return names.find(([, name]) => name.test(symbols.name[symbol] as string))?.[0] ?? null;
}

/** Whether a function is the kernel's; null: its file is not recorded. */
export function isKernelCode(symbols: SymbolTable, symbol: SymbolId): boolean | null {
  const home = homeOfCode(dsoOf(symbols, symbol));
  return home === 'unmapped' ? null : home === 'kernel';
}
