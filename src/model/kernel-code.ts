/**
 * What names tell of the kernel's functions: where the kernel begins to run, and on whose behalf.
 */
import { dsoOf, homeOfCode, oncePerTable, SymbolKind, type SymbolTable } from './symbol-table.js';
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

/** Likewise, of older kernels: functions of programs may have such names. */
const FORMER_NAMES = [
  /^system_call$/,
  /^nmi$/,
  /^((async_)?page_fault|general_protection|divide_error|invalid_op|int3|debug|device_not_available|double_fault|bounds|overflow|invalid_TSS|segment_not_present|stack_segment|alignment_check|(simd_)?coprocessor_error|machine_check)$/,
  /^(apic_timer|reschedule|call_function(_single)?|irq_work|error|spurious|thermal|threshold|deferred_error|reboot)_interrupt$|^x86_platform_ipi$|^(xen_hvm|hyperv)_callback_vector$/,
];

/** Returns why the kernel began to run, if it does so in this function; else null. */
export function kernelEntryOf(symbols: SymbolTable, symbol: SymbolId): KernelEntry | null {
  return entries(symbols)[symbol] ?? null;
}

const entries = /* @__PURE__ */ oncePerTable((symbols) => symbols.name.map((_, symbol) => entryOf(symbols, symbol)));

function entryOf(symbols: SymbolTable, symbol: SymbolId): KernelEntry | null {
  const isKernel = isKernelCode(symbols, symbol);
  if (symbols.kind[symbol] !== SymbolKind.Function || isKernel === false) return null;
  const rowIn = (names: readonly RegExp[]) => names.findIndex((name) => name.test(symbols.name[symbol] as string));
  const row = rowIn(NAMES);
  return KERNEL_ENTRIES[row === -1 && isKernel ? rowIn(FORMER_NAMES) : row] ?? null;
}

/** Whether a function is the kernel's; null: its file is not recorded. */
export function isKernelCode(symbols: SymbolTable, symbol: SymbolId): boolean | null {
  const home = homeOfCode(dsoOf(symbols, symbol));
  return home === 'unmapped' ? null : home === 'kernel';
}
