/**
 * Explains why this machine has no Intel PT.
 */
import { PtflameError } from '../../src/model/errors.js';
import type { Machine } from '../record/machine/probe.js';
import { NO_PT_HINT } from './failure-table.js';

/** Returns the reason for a machine without the intel_pt PMU. */
export function noPtReason({ cpu }: Machine): string {
  const model = cpu.model || cpu.vendor || 'unknown';
  if (cpu.vendor !== '' && cpu.vendor !== 'GenuineIntel') return `its CPU is not from Intel (${model})`;
  if (cpu.hasPt)
    return cpu.isVirtual
      ? 'the CPU has it, but the hypervisor hides it from this virtual machine'
      : 'the CPU has it, but the kernel does not: disabled in the BIOS, used by KVM (kvm_intel pt_mode=1), or not built in';
  if (cpu.isVirtual) return 'this is a virtual machine, and its hypervisor does not provide it';
  return `its CPU does not support it (${model})`;
}

export function noIntelPt(machine: Machine): PtflameError {
  return new PtflameError('NO_INTEL_PT', `this machine has no Intel PT: ${noPtReason(machine)}`, { hint: NO_PT_HINT });
}
