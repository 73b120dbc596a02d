/**
 * What `record` would run, as text: for a shell, and as a list in which no quoting is in the way.
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
    ...both(plan.command),
    ...(outputs.length > 0 ? both(render) : []),
    ...(plan.isControlled ? ['', 'by hand, without ptflame:', ...both(plan.manualCommand)] : []),
    '',
    ...assumptions(machine, version),
  ];
}

function both(command: readonly string[]): string[] {
  return [shellWords(command), `  ${safeJson(JSON.stringify(command))}`];
}

function assumptions({ pmu, cpu }: Machine, version: PerfVersion | null): string[] {
  const cpus = `${cpu.online.length} CPUs online`;
  const cpuLine =
    pmu === null
      ? `assumed of the CPU: psb_cyc=1 (cycle-accurate times), mtc=1, all periods; this machine has no Intel PT to ask (${cpus})`
      : `as the CPU says: psb_cyc=${Number(pmu.caps.psbCyc)}, mtc=${Number(pmu.caps.mtc)}, ip_filtering=${Number(pmu.caps.ipFiltering)}, address filters: ${pmu.addressFilters} (${cpus})`;
  const perfLine =
    version === null
      ? 'assumed of perf: 5.10 or newer; there is none here to ask'
      : `as perf says: version ${version.text}`;
  return [cpuLine, perfLine];
}
