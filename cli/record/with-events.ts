/**
 * What a recording of waits and probes needs around the recording itself: probes, formats, and a second recording.
 */
import { open, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PtflameError } from '../../src/model/errors.js';
import { formatCount } from '../../src/render/format.js';
import { perfFailure } from '../perf/failures.js';
import { handleInterrupts } from '../process/interrupts.js';
import { awaitEnd, TIMEOUTS, type Timeouts } from './await-end.js';
import { writeFormats } from './event-formats.js';
import { WAKING } from './machine/tracing.js';
import { listUprobes, removeUprobes, type Uprobe } from './machine/uprobes.js';
import { type PerfExit, PerfProcess } from './perf-process.js';
import { numbered, type PlannedProbe, type ProbesPlan, similarTo } from './probes.js';
import { flushToDisk, inspectRecording } from './recording-file.js';
import type { RecordingContext, RecordingPlan, WakingsPlan } from './recording-plan.js';
import { ACK_MS } from './run-recording.js';

/** Runs `record` while the plan's probes exist and wakings are recorded, after their formats were written. */
export async function withEvents<Result>(
  { probes, wakings, chains, tracepoints, output }: RecordingPlan,
  { machine, notify, timeouts }: RecordingContext,
  record: () => Promise<Result>,
): Promise<Result> {
  const { directory } = machine.tracing;
  const recordBoth = () => (wakings === null ? record() : withWakings(wakings, record, notify, timeouts));
  if (directory === null || (probes === null && tracepoints.length === 0)) return recordBoth();
  const writeAndRecord = async (probeEvents: readonly string[]) => {
    const events = [...tracepoints, ...probeEvents, ...(wakings === null ? [] : [WAKING])];
    await writeFormats(output, events, directory, chains !== null);
    return recordBoth();
  };
  return probes === null ? writeAndRecord([]) : withProbes(probes, directory, writeAndRecord, notify);
}

/** Flushes the recording of wakings and warns if it is not all there. */
export async function checkWakings(path: string, notify: (text: string) => void): Promise<void> {
  const file = await inspectRecording(path);
  if (!file?.isComplete) {
    await rm(path, { force: true });
    return notify('warning: perf left no recording of wakings: who woke a thread will be unknown');
  }
  await flushToDisk(path);
  const { openRecording } = await import('../../src/perfdata/open-recording.js');
  const recording = await openRecording(path).catch(() => null);
  if (recording === null) return notify(`warning: the recording of wakings is damaged: ${path}`);
  const lost = recording.lostRecords;
  if (lost > 0) notify(`warning: perf lost ${formatCount(lost)} wakings of the machine: some wakers will be unknown`);
}

/** A perf that cannot be controlled is assumed to record by then. */
const BLIND_START_MS = 500;

/**
 * Runs a second perf, which records the wakings of the whole machine while the first one records the target.
 *
 * Runs `record` between the beginning and the end of the recording of wakings. @throws PtflameError if it did not begin
 */
async function withWakings<Result>(
  plan: WakingsPlan,
  record: () => Promise<Result>,
  notify: (text: string) => void,
  timeouts: Timeouts = TIMEOUTS,
): Promise<Result> {
  const { execa } = await import('execa');
  const perf = new PerfProcess({ command: plan.command, isControlled: plan.isControlled, runsCommand: false }, execa);
  const interrupts = new KillingInterrupts(perf);
  let isExpected = false;
  void perf.exited.then(() => {
    if (!isExpected) notify('warning: the recording of wakings has ended early; later wakers will be missing');
  });
  try {
    const exit = await interrupts.during(() => begin(perf, plan, timeouts));
    if (exit !== null) isExpected = true;
    if (interrupts.haveKilled) throw stopped();
    if (exit !== null) throw notBegun(exit, perf.stderr.text);
    const result = await record();
    isExpected = true;
    await interrupts.during(() => end(perf, plan, notify, timeouts));
    return result;
  } finally {
    isExpected = true;
    perf.signalAll('SIGKILL'); // it has ended, unless something failed
    await perf.exited;
  }
}

/** Makes Ctrl-C kill perf while the recording of the target does not handle it. */
class KillingInterrupts {
  readonly #perf: PerfProcess;
  haveKilled = false;

  constructor(perf: PerfProcess) {
    this.#perf = perf;
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = handleInterrupts(() => {
      this.haveKilled = true;
      this.#perf.signalAll('SIGKILL');
    });
    return work().finally(release);
  }
}

/** Returns how perf ended if it did not begin. */
async function begin(
  perf: PerfProcess,
  { isControlled }: WakingsPlan,
  { startMs }: Timeouts,
): Promise<PerfExit | null> {
  const begun = isControlled
    ? await perf.send('enable', startMs)
    : await Promise.race([wait(BLIND_START_MS, true), perf.exited.then(() => false)]);
  if (begun) return null;
  perf.signalAll('SIGKILL');
  return perf.exited;
}

function notBegun(exit: PerfExit, stderr: string): PtflameError {
  const { code, message, hint, output } = perfFailure({ command: 'record', ...exit, stderr });
  return new PtflameError(code, `wakings of the whole machine cannot be recorded: ${message}`, { hint, output });
}

async function end(
  perf: PerfProcess,
  { isControlled, output }: WakingsPlan,
  notify: (text: string) => void,
  timeouts: Timeouts,
): Promise<void> {
  if (isControlled) await perf.send('disable', ACK_MS);
  perf.signal('SIGINT');
  await awaitEnd(perf, output, notify, timeouts);
}

function stopped(): PtflameError {
  return new PtflameError('INTERRUPTED', 'stopped before perf began to record', { hint: 'nothing was written' });
}

/** Groups of probes that exist now, with the directory of tracefs. */
const groups = new Map<string, string>();

process.on('exit', () => {
  for (const [group, tracing] of groups) tryRemove(group, tracing);
});

/** Runs `record` while the probes exist; it receives their events. `tracing`: the directory of tracefs. */
export async function withProbes<Result>(
  plan: ProbesPlan,
  tracing: string,
  record: (events: readonly string[]) => Promise<Result>,
  notify: (text: string) => void,
): Promise<Result> {
  groups.set(plan.group, tracing);
  try {
    for (const planned of plan.probes) await addProbe(planned);
    const added = listUprobes(tracing).filter(({ group }) => group === plan.group);
    for (const planned of plan.probes) checkPlace(planned, added);
    await warn(added, notify);
    return await record([...new Set(added.map(({ group, name }) => `${group}:${name}`))]);
  } finally {
    await remove(plan.group, tracing, notify);
  }
}

/** perf reads debug information, which may be large. */
const TIMEOUT_MS = 120_000;

async function addProbe({ probe, commands }: PlannedProbe): Promise<void> {
  const { execa } = await import('execa');
  for (const [program = '', ...args] of commands) {
    const result = await execa(program, args, { reject: false, timeout: TIMEOUT_MS, stdin: 'ignore' });
    if (!result.failed) continue;
    const { exitCode, signal, cause } = result;
    const stderr = String(result.stderr ?? '');
    if (exitCode === undefined || stderr.trim() === '')
      throw perfFailure({ command: 'record', exitCode, signal, stderr, ...(exitCode === undefined ? { cause } : {}) });
    const who = probe.at === 'returns' || probe.at === 'calls' ? 'the kernel' : 'perf';
    throw new PtflameError('NO_SUCH_TARGET', `${who} cannot add the probe ${probe.name}=${probe.definition}`, {
      hint: similarTo(probe) ?? HINT,
      output: stderr.split('\n').filter((line) => line.trim() !== '').slice(0, 8), // biome-ignore format: short
    });
  }
}

const HINT =
  'list the functions of the binary: perf probe -x BINARY --funcs; arguments: man perf-probe, "PROBE ARGUMENT"';

/** Versions of perf could differ in what an address is. @throws PtflameError if a probe is not where it was planned */
function checkPlace({ probe, commands, offsets }: PlannedProbe, added: readonly Uprobe[]): void {
  const names = commands.map((_, index) => numbered(probe.name, index));
  const own = added.filter(({ name, isReturn }) => names.includes(isReturn ? name.replace(/__return$/, '') : name));
  const wrong = own.find(({ offset }) => offsets?.includes(offset) === false);
  if (wrong === undefined) return;
  throw new PtflameError('PERF_FAILED', `perf put the probe ${probe.name} at 0x${wrong.offset.toString(16)}`, {
    hint: 'that is not where the function is; use another version of perf: --perf PATH',
  });
}

async function warn(added: readonly Uprobe[], notify: (text: string) => void): Promise<void> {
  const warnings = await Promise.all(added.map(slowProbeWarning));
  for (const warning of new Set(warnings)) if (warning !== null) notify(warning);
}

const ATTEMPTS = 20;
const RETRY_MS = 100;

/** The kernel refuses while perf's events exist: for a moment after perf has ended. */
async function remove(group: string, tracing: string, notify: (text: string) => void): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (tryRemove(group, tracing)) return;
    await wait(RETRY_MS);
  }
  notify(`warning: the probes of group ${group} are still in use; remove them later: sudo ptflame doctor --fix`);
}

function tryRemove(group: string, tracing: string): boolean {
  try {
    removeUprobes(tracing, group);
  } catch {
    return false;
  }
  groups.delete(group);
  return true;
}

const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const INSTRUCTION_BYTES = 15;

/**
 * Warns of probes that cost much at each hit. On x86-64, the kernel emulates nops, pushes of registers and relative jumps and
 * calls; it executes any other probed instruction in a copy and traps again behind it. docs/recording.md has the costs.
 *
 * Returns null if the probe is fast, or if that is unknown.
 */
async function slowProbeWarning({ name, file, offset, isReturn }: Uprobe): Promise<string | null> {
  if (process.arch !== 'x64' || isReturn) return null;
  const code = await codeAt(file, offset).catch(() => null);
  if (code === null || code.length === 0 || isEmulated(code)) return null;
  const isEndbr = ENDBR64.every((byte, index) => code[index] === byte);
  const remedy =
    isEndbr && isEmulated(code.subarray(ENDBR64.length)) ? `; ${ENDBR64.length} bytes later it would be fast` : '';
  return `warning: the probe ${name} is at a slow instruction: 10 to 25 µs a hit instead of 1 to 2${remedy}`;
}

async function codeAt(path: string, offset: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(INSTRUCTION_BYTES + ENDBR64.length),
      0,
      undefined,
      offset,
    );
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Returns whether the kernel emulates the first instruction. */
export function isEmulated(code: Uint8Array): boolean {
  const at = code.findIndex((byte) => byte !== 0x66);
  const [first = 0, second = 0] = code.subarray(Math.max(at, 0));
  if (at > 0) return first === 0x90 || (first === 0x0f && second === 0x1f);
  const isPush = (byte: number) => byte >= 0x50 && byte <= 0x57;
  const isJump = first === 0xeb || first === 0xe9 || (first >= 0x70 && first <= 0x7f);
  if (first === 0x0f) return second === 0x1f || (second >= 0x80 && second <= 0x8f);
  return first === 0x90 || first === 0xe8 || isJump || isPush(first) || (first === 0x41 && isPush(second));
}
