/**
 * Checks what recording of waits and probes needs.
 */
import { canTraceEverything } from '../perf/machine/probe.js';
import { MAKE_READABLE, MOUNT, OTHER_KERNEL, TRACEPOINTS } from '../perf/plan/tracepoints.js';
import { type DoctorInput, ok, warn } from './doctor-input.js';
import type { Check } from './report.js';

export function waitsChecks(input: DoctorInput): Check[] {
  if (input.perf instanceof Error) return [leftoversCheck(input)]; // the check of perf says it all
  return [waitsCheck(input), probesCheck(input), leftoversCheck(input)];
}

function waitsCheck({ machine }: DoctorInput): Check {
  const { directory, isReadable, missing } = machine.tracing;
  if (directory === null) return warn('waits', 'no --waits: tracefs is not mounted', MOUNT);
  if (!isReadable) return warn('waits', `no --waits: this user may not read ${directory}`, MAKE_READABLE);
  if (missing.length > 0) return warn('waits', `no --waits: the kernel has no ${missing.join(', ')}`, OTHER_KERNEL);
  if (!canTraceEverything(machine))
    return warn('waits', 'no --waits: this user may not record tracepoints', TRACEPOINTS);
  return ok('waits', 'waits and wakings can be recorded (--waits), with and without Intel PT (--no-trace)');
}

function probesCheck({ machine, buildOptions }: DoctorInput): Check {
  const { directory, canProbe } = machine.tracing;
  if (directory === null) return warn('probes', 'no --probe: tracefs is not mounted', MOUNT);
  if (canProbe === null) return warn('probes', 'no --probe: the kernel has no uprobes', OTHER_KERNEL);
  if (!canProbe || !canTraceEverything(machine))
    return warn('probes', 'no --probe: only root may add probes', 'sudo ptflame record --probe …');
  const dwarf = buildOptions.get('HAVE_DWARF_SUPPORT') ?? buildOptions.get('HAVE_LIBDW_SUPPORT');
  const limit = dwarf === false ? '; registers and memory only, no variables: perf was built without libdw' : '';
  return ok('probes', `probes can be added (--probe)${limit}`);
}

function leftoversCheck({ machine }: DoctorInput): Check {
  const { leftovers } = machine.tracing;
  if (leftovers.length === 0) return ok('leftovers', 'no probes of killed recordings');
  return warn(
    'leftovers',
    `probes of killed recordings, which cost nothing: ${leftovers.join(', ')}`,
    'sudo ptflame doctor --fix',
  );
}
