/**
 * Prints what `record` would run: each command quoted for a shell, and as a JSON list, free of quoting.
 */
import { safeJson, shellWords } from '../../../src/text.js';
import type { Machine } from '../machine/probe.js';
import type { PerfVersion } from '../machine/version.js';
import type { RecordingPlan } from './recording-plan.js';

export function dryRunLines(
  plan: RecordingPlan,
  outputs: readonly string[],
  machine: Machine,
  version: PerfVersion | null,
): string[] {
  const render = ['ptflame', 'render', plan.output, ...outputs.flatMap((path) => ['-o', path])];
  return [
    ...asShellAndJson(plan.command),
    ...(outputs.length > 0 ? asShellAndJson(render) : []),
    ...(plan.isControlled ? ['', 'to run it by hand, without ptflame:', ...asShellAndJson(plan.manualCommand)] : []),
    '',
    ...assumptions(machine, version),
  ];
}

function asShellAndJson(command: readonly string[]): string[] {
  return [shellWords(command), `  ${safeJson(JSON.stringify(command))}`];
}

function assumptions({ pmu, cpu }: Machine, version: PerfVersion | null): string[] {
  const cpus = `${cpu.online.length} CPUs online`;
  const cpuLine =
    pmu === null
      ? `CPU (assumed, this machine has no Intel PT): psb_cyc=1 (cycle-accurate times), mtc=1, all periods (${cpus})`
      : `CPU: psb_cyc=${Number(pmu.caps.psbCyc)}, mtc=${Number(pmu.caps.mtc)}, ip_filtering=${Number(pmu.caps.ipFiltering)}, address filters: ${pmu.addressFilters} (${cpus})`;
  const perfLine = version === null ? 'perf (assumed, none found): 5.10 or newer' : `perf: version ${version.text}`;
  return [cpuLine, perfLine];
}
