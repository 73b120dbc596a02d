/**
 * `ptflame record`: checks the machine, runs perf, and checks the recording.
 */

import * as z from 'zod';
import { shellWords } from '../../src/render/visible-text.js';
import { formatsPath, wakingsPath } from '../input/open-sides.js';
import { auxSize, general, perf } from '../options/shared.js';
import { duration, numberList, path, probes, snapshotSize, text, waits } from '../options/values/values.js';
import { FORMATS, outputFormats } from '../output/formats.js';
import { refuseRecordingName } from '../output/kinds.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { noIntelPt } from '../perf/no-intel-pt.js';
import { type Machine, probe } from '../record/machine/probe.js';
import { probeGroup } from '../record/machine/uprobes.js';
import { type PerfVersion, perfVersion } from '../record/machine/version.js';
import { removalCommand } from '../record/probes.js';
import { recordToFile } from '../record/record-to-file.js';
import { offlineCpus, planRecording, type RecordingPlan } from '../record/recording-plan.js';
import { parseTarget, refuseMissingTargets } from '../record/target.js';
import { refuseMissingTracing } from '../record/tracepoints.js';
import { notifier } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group, memoize } from '../usage/flag.js';

const term = (description: string) =>
  flag(
    z
      .number('must be a number')
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .max(15, 'must be 15 or less')
      .optional(),
    description,
  );

/** The options of `ptflame record`. */
export const RecordOptions = memoize(() =>
  z.object({
    ...group('What to record', {
      pid: numberList('these processes and the threads they start, as pidof and pgrep print them', {
        alias: 'p',
        whenEmpty: 'no such process: is it running?',
        common: 'these processes',
      }),
      tid: numberList('these threads, without those they start', { whenEmpty: 'no such thread: is it running?' }),
      cpu: numberList('these CPUs: numbers and ranges, such as 0-3,8', {
        alias: 'C',
        common: 'these CPUs, such as 0-3,8',
      }),
      allCpus: flag(z.boolean().default(false), 'all CPUs', { alias: 'a' }),
      perThread: flag(z.boolean().default(false), 'with --pid: one buffer per thread that exists now, not per CPU'),
      user: flag(z.boolean().default(false), 'only user code, not the kernel (default)'),
      kernel: flag(z.boolean().default(false), 'also the kernel, with a copy of its code; the output is a directory'),
      only: flag(z.array(text).optional(), 'only this function of --binary, without its callees; may be repeated', {
        value: 'FUNCTION',
      }),
      binary: flag(path.optional(), 'the binary that contains the functions of --only', { value: 'FILE' }),
      filter: flag(
        z.array(text).optional(),
        "perf's address filter, such as 'filter main @ /usr/bin/x'; may be repeated",
        {
          value: 'FILTER',
        },
      ),
    }),
    ...group('Waits', {
      waits: flag(
        waits.optional(),
        'also who waits for whom: futexes of the target, and wakings on the whole machine in FILE.wakes.data; full: also why threads stop',
        { valueOptional: true, value: 'full', common: 'also who waits for whom; full: and why' },
      ),
      probe: flag(
        probes.optional(),
        "also each passage of a function, with arguments as perf probe takes them: 'push=./server:Queue::push job=%di'; at its returns: 'pop=./server:Queue::pop%returns job=%ax'; may be repeated",
        { value: 'PROBE', common: 'also each passage of a function, with arguments' },
      ),
      noTrace: flag(z.boolean().default(false), 'only --waits and --probe, without Intel PT: works on any CPU', {
        common: 'without Intel PT, on any CPU: only waits and probes',
      }),
    }),
    ...group('When', {
      time: flag(duration.optional(), 'how long, such as 500ms, 1s or 2m (default: 1s; for a command: until it ends)', {
        alias: 't',
        value: 'TIME',
        common: 'how long, such as 500ms (default: 1s)',
      }),
      snapshot: flag(
        snapshotSize.optional(),
        'overwrite the buffer and keep its last part (SIZE), at the end or on --trigger',
        { valueOptional: true, value: 'SIZE', common: 'keep only the last part, of this size' },
      ),
      trigger: flag(text.optional(), 'with --snapshot: take a snapshot at each SIGUSR2 to ptflame', {
        value: 'signal',
      }),
    }),
    ...group('Output', {
      output: flag(path.default('perf.data'), 'where to write the recording', {
        alias: 'o',
        value: 'FILE',
        common: 'where to write (default: perf.data)',
      }),
      render: flag(z.array(path).optional(), 'also render the recording to FILE; may be repeated', {
        value: 'FILE',
        common: 'also render the recording to FILE',
      }),
      dryRun: flag(z.boolean().default(false), 'print the commands and run nothing; works on any machine', {
        common: 'print the commands and run nothing',
      }),
    }),
    ...group('Precision and size', {
      auxSize,
      cyc: flag(z.boolean().default(false), 'require cycle-accurate times (default: if the CPU has them)'),
      noCyc: flag(z.boolean().default(false), 'no cycle-accurate times: less data'),
      cycThresh: term('at most one cycle-accurate time every 2^(N-1) cycles'),
      mtcPeriod: term('a coarse time every 2^N ticks of the crystal clock'),
      psbPeriod: term('a point where decoding can start every 2^(N+11) bytes'),
      noretcomp: flag(z.boolean().default(false), 'a packet for each return: more data, better times, fewer errors'),
    }),
    ...group('Resources', { perf }),
    ...general(),
  }),
);
export type RecordOptions = z.infer<ReturnType<typeof RecordOptions>>;

export const command = defineCommand({
  details: 'Ctrl-C stops the recording and keeps it; a second Ctrl-C discards it.',
  examples: [
    ['ptflame record -p 1234 -t 500ms', 'half a second of a process'],
    ['ptflame record --render flame.html -- ./program --its flags', 'a command from start to end, and its flame graph'],
    ['ptflame record -C 0-3 --kernel -o all.data', 'four CPUs, with the kernel'],
    ['ptflame record -p 1234 --only parse --binary ./server', 'only the code of one function'],
    ['ptflame record -p 1234 --snapshot --trigger signal', 'the time before each kill -USR2'],
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
  if (options.dryRun) {
    const version = await versionOrNull(options.perf);
    const plan = await planRecording({ options, target, machine, version, group: DRY_RUN_GROUP });
    const missing = offlineCpus(target, machine);
    if (missing.length > 0) notify(`warning: CPUs not online on this machine: ${missing.join(', ')}`);
    for (const line of plan.probes?.warnings ?? []) notify(line);
    const script = dryRunScript(plan, options.perf, options.render ?? []);
    process.stdout.write(script.map((line) => `${line}\n`).join(''));
    for (const line of assumptions(plan, machine, version)) notify(`note: ${line}`);
    return null;
  }
  if (machine.pmu === null && !options.noTrace) throw noIntelPt(machine);
  refuseMissingTracing(options, machine);
  refuseMissingTargets(target);
  const version = await perfVersion(options.perf);
  const plan = await planRecording({ options, target, machine, version, group: probeGroup(process.pid) });
  for (const line of plan.probes?.warnings ?? []) notify(line);
  await recordToFile(plan, { machine, version, notify, quiet: options.quiet });
  const next = nextCommand(options);
  if (next !== null) notify(`next: ${shellWords(['ptflame', ...next])}`);
  return plan.output;
}

/** What shows the recording; null: it is rendered now, or has only probes. */
function nextCommand({ output, render, noTrace, waits }: RecordOptions): readonly string[] | null {
  if (!noTrace) return render ? null : ['render', output, '-o', 'flame.html'];
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
