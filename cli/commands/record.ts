/**
 * `ptflame record`: checks the machine, runs perf, and checks the recording.
 */

import { formatsPath, wakingsPath } from '../../src/perfdata/beside.js';
import { shellWords } from '../../src/render/visible-text.js';
import { FORMATS, outputFormats, refuseRecordingName } from '../output/formats.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { noIntelPt } from '../perf/failures.js';
import { type Machine, probe } from '../record/machine/probe.js';
import { probeGroup } from '../record/machine/uprobes.js';
import { type PerfVersion, perfVersion } from '../record/machine/version.js';
import { RecordOptions } from '../record/options.js';
import { removalCommand } from '../record/probes.js';
import { recordToFile } from '../record/record-to-file.js';
import { offlineCpus, planRecording, type RecordingPlan } from '../record/recording-plan.js';
import { parseTarget, refuseMissingTargets, type Target } from '../record/target.js';
import { missingWork, refuseMissingTracing } from '../record/tracepoints.js';
import { type CallTrigger, parseTrigger, refuseCaptureOptions, refuseUselessOptions } from '../record/trigger/spec.js';
import { notifier } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';

export const command = defineCommand({
  details: 'Ctrl-C stops the recording and keeps it; a second Ctrl-C discards it.',
  examples: [
    ['ptflame record -p 1234 -t 500ms', 'half a second of a process'],
    ['ptflame record --render flame.html -- ./program --its flags', 'a command from start to end, and its flame graph'],
    ['ptflame record -C 0-3 --kernel -o all.data', 'four CPUs, with the kernel'],
    ['ptflame record -p 1234 --only parse --binary ./server', 'only the code of one function'],
    ['ptflame record -p 1234 --snapshot --trigger signal', 'the time before each kill -USR2'],
    ["ptflame record -p 1234 --trigger 'parse>10ms' -t 8h -o slow", 'the ten slowest calls of a function'],
    ['ptflame record -p 1234 --waits', 'also who waits for whom'],
    ['ptflame record -p 1234 --waits --no-trace -t 10s', 'the same alone, without Intel PT: on any CPU'],
    ['ptflame record -p 1234 --dry-run', 'print the commands without running them'],
  ],
  schema: RecordOptions,
  runsCommand: true,
  run: async (options, signal, context) => {
    outputFormats({ output: options.render }, FORMATS); // refuses unknown formats before anything is recorded
    const recording = await record(options, context.recordedCommand);
    const { render: output, perf, quiet } = options;
    if (recording === null || !output) return;
    const { command: render } = await import('./render.js');
    await render.run({ inputs: [recording], output, perf, quiet }, signal, context);
  },
});

/** The group of the probes that are only shown. */
const DRY_RUN_GROUP = 'ptflame';

/** `command`: what follows "--". Returns the path of the recording; null after a dry run. */
export async function record(options: RecordOptions, command: readonly string[] | null): Promise<string | null> {
  const target = parseTarget(options, command);
  refuseRecordingName(options.output);
  if (options.render)
    refuseOverwriting(
      [options.output, `${options.output}.old`, wakingsPath(options.output), formatsPath(options.output)],
      options.render,
    );
  const notify = notifier(options.quiet);
  const machine = await probe();
  const trigger = options.trigger === undefined ? null : parseTrigger(options.trigger);
  if (trigger?.kind === 'call') return capture(options, trigger, target, machine, notify);
  refuseCaptureOptions(options);
  if (options.dryRun) {
    const version = await versionOrNull(options.perf);
    const plan = await planRecording({ options, target, machine, version, group: DRY_RUN_GROUP });
    const missing = offlineCpus(target, machine);
    if (missing.length > 0) notify(`warning: CPUs not online on this machine: ${missing.join(', ')}`);
    for (const line of plan.probes?.warnings ?? []) notify(line);
    const script = dryRunScript(plan, options.perf, options.render ?? []);
    process.stdout.write(script.map((line) => `${line}\n`).join(''));
    for (const line of [...assumptions(plan, machine, version), ...missingWork(options, machine)])
      notify(`note: ${line}`);
    return null;
  }
  if (machine.pmu === null && !options.noTrace) throw noIntelPt(machine);
  refuseMissingTracing(options, machine);
  refuseMissingTargets(target);
  const version = await perfVersion(options.perf);
  const plan = await planRecording({ options, target, machine, version, group: probeGroup(process.pid) });
  for (const line of plan.probes?.warnings ?? []) notify(line);
  for (const line of missingWork(options, machine)) notify(`note: ${line}`);
  await recordToFile(plan, { machine, version, notify, quiet: options.quiet });
  const next = nextCommand(options);
  if (next !== null) notify(`next: ${shellWords(['ptflame', ...next])}`);
  return plan.output;
}

/** Returns the snapshot of the slowest call; null: there is none. */
async function capture(
  options: RecordOptions,
  trigger: CallTrigger,
  target: Target,
  machine: Machine,
  notify: (text: string) => void,
): Promise<string | null> {
  refuseUselessOptions(options, trigger);
  if (machine.pmu === null && !options.noTrace) throw noIntelPt(machine);
  refuseMissingTracing(options, machine);
  refuseMissingTargets(target);
  const version = await perfVersion(options.perf);
  const { captureCalls } = await import('../record/trigger/capture.js');
  return captureCalls(options, trigger, target, { machine, version, notify, group: probeGroup(process.pid) });
}

/** What shows the recording; null: it is rendered now, or has only probes. */
function nextCommand({ output, render, noTrace, waits, probe = [] }: RecordOptions): readonly string[] | null {
  if (!noTrace) return render ? null : ['render', output, '-o', 'flame.html'];
  const called = probe.find(({ at }) => at === 'calls');
  if (called !== undefined) return [waits === undefined ? 'latency' : 'requests', called.name, output];
  return waits === undefined ? null : ['waits', output];
}

function versionOrNull(perf: string): Promise<PerfVersion | null> {
  return perfVersion(perf).catch(() => null);
}

/**
 * Prints what `record` would run, as a shell script that does the same without ptflame.
 *
 * Returns lines to paste into any shell, and nothing else. `outputs`: those of --render.
 */
function dryRunScript(
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
function assumptions({ event }: RecordingPlan, { pmu, cpu }: Machine, version: PerfVersion | null): string[] {
  const cpus = `${cpu.online.length} CPUs online`;
  const cpuLine =
    pmu === null
      ? `CPU (assumed, this machine has no Intel PT): psb_cyc=1 (cycle-accurate times), mtc=1, all periods (${cpus})`
      : `CPU: psb_cyc=${Number(pmu.caps.psbCyc)}, mtc=${Number(pmu.caps.mtc)}, ip_filtering=${Number(pmu.caps.ipFiltering)}, address filters: ${pmu.addressFilters} (${cpus})`;
  const perfLine = version === null ? 'perf (assumed, none found): 5.10 or newer' : `perf: version ${version.text}`;
  return event === null ? [perfLine] : [cpuLine, perfLine];
}
