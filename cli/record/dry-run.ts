/**
 * Prints what `record` would run, as a shell script that does the same without ptflame.
 */
import { shellWords } from '../../src/render/visible-text.js';
import type { Machine } from './machine/probe.js';
import type { PerfVersion } from './machine/version.js';
import { removalCommand } from './probes.js';
import type { RecordingPlan } from './recording-plan.js';

/** Returns lines to paste into any shell, and nothing else. `outputs`: those of --render. */
export function dryRunScript(
  { probes, wakings, manualCommand, output }: RecordingPlan,
  perf: string,
  outputs: readonly string[],
): string[] {
  return [
    ...(probes?.probes ?? []).flatMap(({ commands }) => commands.map(shellWords)),
    ...(wakings === null ? [] : [`${shellWords(wakings.manualCommand)} &`, BEGUN]),
    shellWords(manualCommand),
    ...(wakings === null ? [] : ENDED),
    ...(probes === null ? [] : [shellWords(removalCommand(perf, probes.group))]),
    ...(outputs.length === 0
      ? []
      : [shellWords(['ptflame', 'render', output, ...outputs.flatMap((path) => ['-o', path])])]),
  ];
}

/** Wakings are recorded from before the recording of the target until after it. */
const BEGUN = 'sleep 1';
const ENDED = ['kill $!', 'wait $!'];

/** Returns what the script was planned for. */
export function assumptions({ event }: RecordingPlan, { pmu, cpu }: Machine, version: PerfVersion | null): string[] {
  const cpus = `${cpu.online.length} CPUs online`;
  const cpuLine =
    pmu === null
      ? `CPU (assumed, this machine has no Intel PT): psb_cyc=1 (cycle-accurate times), mtc=1, all periods (${cpus})`
      : `CPU: psb_cyc=${Number(pmu.caps.psbCyc)}, mtc=${Number(pmu.caps.mtc)}, ip_filtering=${Number(pmu.caps.ipFiltering)}, address filters: ${pmu.addressFilters} (${cpus})`;
  const perfLine = version === null ? 'perf (assumed, none found): 5.10 or newer' : `perf: version ${version.text}`;
  return event === null ? [perfLine] : [cpuLine, perfLine];
}
