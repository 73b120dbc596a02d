/**
 * Why there is no Intel PT here, as far as the machine tells.
 */
import { PtflameError } from '../../../src/text.js';
import type { Machine } from '../machine/probe.js';
import { NO_PT_HINT } from './failure-table.js';

/** Of a machine without its PMU. */
export function noPtReason({ cpu }: Machine): string {
  const model = cpu.model || cpu.vendor || 'unknown';
  if (cpu.vendor !== '' && cpu.vendor !== 'GenuineIntel') return `its CPU is not of Intel (${model})`;
  if (cpu.hasPt)
    return cpu.isVirtual
      ? 'its CPU has it, but the hypervisor keeps it from this virtual machine'
      : 'its CPU has it, but the kernel does not offer it: BIOS, a hypervisor (kvm_intel pt_mode=1), or a kernel built without it';
  if (cpu.isVirtual) return 'it is a virtual machine, and its hypervisor does not offer it';
  return `its CPU has none (${model})`;
}

export function noIntelPt(machine: Machine): PtflameError {
  return new PtflameError('NO_INTEL_PT', `this machine has no Intel PT: ${noPtReason(machine)}`, { hint: NO_PT_HINT });
}
