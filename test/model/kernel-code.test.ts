import { expect, test } from 'vitest';
import { isKernelCode, kernelEntryOf } from '../../src/model/kernel-code.js';
import { SymbolTableBuilder } from '../../src/model/symbol-table.js';

const KERNEL = '[kernel.kallsyms]';

test.each([
  ['entry_SYSCALL_64', KERNEL, 'system call'],
  ['entry_SYSCALL_64_after_hwframe', null, 'system call'],
  ['entry_INT80_compat', KERNEL, 'system call'],
  ['asm_exc_page_fault', KERNEL, 'exception'],
  ['asm_exc_page_fault', null, 'exception'],
  ['asm_exc_page_fault', '/usr/bin/program', null],
  ['asm_exc_nmi', KERNEL, 'NMI'],
  ['asm_sysvec_apic_timer_interrupt', KERNEL, 'interrupt'],
  ['asm_common_interrupt', KERNEL, 'interrupt'],
  ['__do_softirq', KERNEL, 'softirq'],
  ['irq_entries_start', KERNEL, 'interrupt'],
  ['do_syscall_64', KERNEL, null],
  ['apic_timer_interrupt', KERNEL, 'interrupt'],
  ['call_function_single_interrupt', KERNEL, 'interrupt'],
  ['common_interrupt', KERNEL, null],
  ['page_fault', KERNEL, 'exception'],
  ['debug', KERNEL, 'exception'],
  ['debug', '[driver]', 'exception'],
  ['debug', null, null],
  ['debug', '/usr/bin/program', null],
  ['nmi', KERNEL, 'NMI'],
  ['system_call', KERNEL, 'system call'],
])('%s of %s: %s', (name, dso, entry) => {
  const builder = new SymbolTableBuilder();
  const symbol = builder.intern(name, dso);
  expect(kernelEntryOf(builder.build(), symbol)).toBe(entry);
});

test.each([
  [KERNEL, true],
  ['[virtio_net]', true],
  ['[vdso]', false],
  ['/usr/bin/program', false],
  [null, null],
])('%s: code of the kernel is %s', (dso, expected) => {
  const builder = new SymbolTableBuilder();
  const symbol = builder.intern('f', dso);
  expect(isKernelCode(builder.build(), symbol)).toBe(expected);
});
