/**
 * `ptflame record`: checks the machine, lets perf record, judges the file that it wrote, and renders it if asked to.
 */
import { PtflameError, shellWords } from '../../src/text.js';
import { endingOfOthers } from '../formats.js';
import { keepRecording } from '../perf/keep-recording.js';
import { noIntelPt } from '../perf/no-intel-pt.js';
import { probe } from '../perf/probe.js';
import { missingCpus, planRecording } from '../perf/recording-plan.js';
import { targetOf } from '../perf/target.js';
import { type PerfVersion, perfVersion } from '../perf/version.js';
import type { RecordOptions } from '../recording-options.js';
import { refuseOverwriting } from '../refuse-overwriting.js';
import { dryRunLines } from '../terminal/dry-run.js';
import { sayer } from '../terminal/say.js';

/** `command`: what follows "--". Gives the path of the recording; null after a dry run. */
export async function record(options: RecordOptions, command: readonly string[] | null): Promise<string | null> {
  const target = targetOf(options, command);
  refuseName(options.output);
  if (options.render) await refuseOverwriting([options.output, `${options.output}.old`], options.render);
  const machine = await probe();
  if (options.dryRun) {
    const version = await versionOrNull(options.perf);
    const plan = await planRecording(options, target, machine, version);
    const missing = missingCpus(target, machine);
    if (missing.length > 0) sayer(options.quiet)(`warning: this machine has no CPU ${missing.join(', ')} online`);
    process.stdout.write(
      dryRunLines(plan, options.render ?? [], machine, version)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return null;
  }
  if (machine.pmu === null) throw noIntelPt(machine);
  const version = await perfVersion(options.perf);
  const plan = await planRecording(options, target, machine, version);
  const say = sayer(options.quiet);
  await keepRecording(plan, { machine, version, say, quiet: options.quiet });
  if (!options.render) say(`next: ${shellWords(['ptflame', 'render', plan.output, '-o', 'flame.html'])}`);
  return plan.output;
}

function versionOrNull(perf: string): Promise<PerfVersion | null> {
  return perfVersion(perf).catch(() => null);
}

/** A recording is a file of its own, and is not called as what is made of it. @throws PtflameError BAD_OPTION */
function refuseName(output: string): void {
  if (output === '-')
    throw new PtflameError('BAD_OPTION', 'a recording cannot be written to standard output', {
      hint: 'give a file: -o perf.data',
    });
  const ending = endingOfOthers(output);
  if (ending === null) return;
  const drawn = DRAWN.test(ending) ? `; to draw it as well: --render ${shellWords([output])}` : '';
  throw new PtflameError(
    'BAD_OPTION',
    `-o names the recording (perf.data), and ${output} ends as another kind of file`,
    {
      hint: `give a name without ${ending}: -o perf.data${drawn}`,
    },
  );
}

const DRAWN = /^\.(?:svg|html?|folded|txt|json)$/;
