/**
 * Prints what `record` would run: each command quoted for a shell, and as a JSON list, free of quoting.
 */
import { safeJson, shellWords } from '../../../src/text.js';
import type { Machine } from '../machine/probe.js';
import type { PerfVersion } from '../machine/version.js';
import { removalCommand } from './probes.js';
import type { RecordingPlan } from './recording-plan.js';

export function dryRunLines(
  plan: RecordingPlan,
  perf: string,
  outputs: readonly string[],
  machine: Machine,
  version: PerfVersion | null,
): string[] {
  const render = ['ptflame', 'render', plan.output, ...outputs.flatMap((path) => ['-o', path])];
  return [
    ...commands(plan, perf, 'command').flatMap(asShellAndJson),
    ...(outputs.length > 0 ? asShellAndJson(render) : []),
    ...(plan.isControlled ? ['', ...byHand(plan, perf)] : []),
    '',
    ...assumptions(plan, machine, version),
  ];
}

/** Returns the commands in the order in which they start. */
function commands(
  { probes, wakings, ...recording }: RecordingPlan,
  perf: string,
  kind: 'command' | 'manualCommand',
): (readonly string[])[] {
  const added = probes === null ? [] : probes.commands;
  const removed = probes === null ? [] : [removalCommand(perf, probes.group)];
  return [...added, ...(wakings === null ? [] : [wakings[kind]]), recording[kind], ...removed];
}

function byHand(plan: RecordingPlan, perf: string): string[] {
  const both = plan.wakings === null ? '' : ' (the second recording must start before the first and end after it)';
  return [
    `to run it by hand, without ptflame${both}:`,
    ...commands(plan, perf, 'manualCommand').flatMap(asShellAndJson),
  ];
}

function asShellAndJson(command: readonly string[]): string[] {
  return [shellWords(command), `  ${safeJson(JSON.stringify(command))}`];
}

function assumptions({ event }: RecordingPlan, { pmu, cpu }: Machine, version: PerfVersion | null): string[] {
  const cpus = `${cpu.online.length} CPUs online`;
  const cpuLine =
    pmu === null
      ? `CPU (assumed, this machine has no Intel PT): psb_cyc=1 (cycle-accurate times), mtc=1, all periods (${cpus})`
      : `CPU: psb_cyc=${Number(pmu.caps.psbCyc)}, mtc=${Number(pmu.caps.mtc)}, ip_filtering=${Number(pmu.caps.ipFiltering)}, address filters: ${pmu.addressFilters} (${cpus})`;
  const perfLine = version === null ? 'perf (assumed, none found): 5.10 or newer' : `perf: version ${version.text}`;
  return event === null ? [perfLine] : [cpuLine, perfLine];
}
