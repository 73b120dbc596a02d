/**
 * Decodes a recording to text with `perf script`: several processes at a time, each for a part.
 */
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { perfTimeText } from '../../src/model/trace/perf-time.js';
import { recordingEnvironment, recordsEvents } from '../../src/perfdata/open-recording.js';
import { type DecodeJob, type PlanOptions, planJobs } from '../../src/perfdata/plan-jobs.js';
import type { Recording } from '../../src/perfdata/recording.js';
import type { DecodedRecording } from '../../src/pipeline/read/recording-source.js';
import { formatDuration } from '../../src/render/format.js';
import { perfFailure } from './failures.js';

export interface DecodeOptions {
  /** What messages call the recording; its path by default. */
  readonly name?: string;
  /** The perf to run. */
  readonly perf: string;
  /** Decode every branch, not only calls and returns: jumps show functions that were not called. */
  readonly precise: boolean;
  /** perf may fetch symbols from the servers of `DEBUGINFOD_URLS`. */
  readonly debuginfod: boolean;
  /** Directory with the recorded binaries; null: the root directory. */
  readonly symfs: string | null;
  /** Symbol addresses of the recorded kernel; null: this kernel's, or as perf finds them. */
  readonly kallsyms: string | null;
  /** Number of perf processes that run at a time. */
  readonly jobs: number;
  /** It has samples of tracepoints or probes. Default: false. */
  readonly hasSamples?: boolean;
  /** Overrides how the work is divided; for tests with small recordings. */
  readonly plan?: Pick<PlanOptions, 'leastBytes'>;
  /** A decoder that neither prints nor uses the CPU for this long counts as hung. */
  readonly hangMs?: number;
}

/** `dso` distinguishes functions of one name in several binaries. Mappings are read from the recording itself. */
const FIELDS = '-F-event,-period,+addr,-comm,+flags,+dso,+sym,+symoff,+pid';
/** Long enough for a download of symbols. */
const HANG_MS = 120_000;
const MAX_STDERR_BYTES = 16 * 1024;

/** Decoders start when their part is read. If one fails or is not read to its end, all of them are stopped. */
export function decodeRecording(path: string, recording: Recording, options: DecodeOptions): DecodedRecording {
  const jobs = planJobs(recording, { decoders: options.jobs, ...options.plan });
  const { name = path } = options;
  const failed = new AbortController();
  const parts = jobs.map((job, index) => ({
    name: jobs.length === 1 ? name : `${name}, part ${index + 1} of ${jobs.length}`,
    bytes: decode(path, job, { ...options, hasSamples: recordsEvents(recording) }, failed),
    job,
  }));
  return {
    name,
    parts,
    maxConcurrent: options.jobs,
    sideband: recording.sideband,
    samplesOf: recording,
    recorded: recordingEnvironment(recording, path),
    broken: null,
  };
}

/** Returns perf's arguments for a part of a recording. */
export function scriptArguments(path: string, { cpus, from, to }: DecodeJob, options: DecodeOptions): string[] {
  const { hasSamples = false, precise, symfs, kallsyms } = options;
  const times = from || to ? `${from ? perfTimeText(from) : ''},${to ? perfTimeText(to) : ''}` : null;
  return [
    'script',
    `--input=${path}`,
    ...(needsForce(path) ? ['--force'] : []),
    `--itrace=${precise ? 'be' : 'cre'}`, // without the "e" perf prints no errors
    '--ns',
    FIELDS,
    '-G', // samples of other events in one line, without their call chains
    ...(hasSamples ? ['-F', 'trace:'] : []), // prints nothing of them: they are read from the recording itself
    ...(cpus ? [`--cpu=${cpus.join(',')}`] : []),
    ...(times === null ? [] : [`--time=${times}`]),
    ...(symfs === null ? [] : [`--symfs=${symfs}`]),
    ...(kallsyms === null ? [] : [`--kallsyms=${kallsyms}`]),
  ];
}

/** perf requires --force for files that neither root nor the user owns. It reports a missing file itself. */
function needsForce(path: string): boolean {
  const quiet = { throwIfNoEntry: false } as const;
  const stats = statSync(path, quiet);
  const uid = (stats?.isDirectory() ? statSync(join(path, 'data'), quiet) : stats)?.uid ?? 0;
  return uid !== 0 && uid !== process.geteuid?.();
}

async function* decode(
  path: string,
  job: DecodeJob,
  options: DecodeOptions,
  failed: AbortController,
): AsyncGenerator<Uint8Array> {
  const { execa } = await import('execa');
  if (failed.signal.aborted) return;
  const { program, args } = withLargeWrites(options.perf, scriptArguments(path, job, options));
  const perf = execa(program, args, {
    stdin: 'ignore',
    buffer: false,
    reject: false,
    encoding: 'buffer',
    env: { LC_ALL: 'C', PAGER: 'cat', ...(options.debuginfod ? {} : { DEBUGINFOD_URLS: '' }) },
    detached: true, // leads a process group, so that all of it can be killed
  });
  const group = new ProcessGroup(perf.pid);
  const stderr = keepTail(perf.stderr);
  const watchdog = new Watchdog(perf.pid, options.hangMs ?? HANG_MS, () => failed.abort());
  failed.signal.addEventListener('abort', () => {
    group.kill();
    for (const stream of [perf.stdout, perf.stderr]) stream.destroy(); // a process outside of the group may hold them open
  });
  let isComplete = false;
  try {
    for await (const bytes of untilAborted(watchdog.watch(perf.stdout), failed.signal)) yield bytes;
    const { exitCode, signal, cause } = await perf;
    if (watchdog.isHung) throw hungDecoder(job, watchdog.silentMs, stderr());
    if (failed.signal.aborted) return; // the first failure is reported
    if (exitCode !== 0) {
      const notStarted = !signal && exitCode === undefined && { cause };
      throw perfFailure({ command: 'script', exitCode, signal, stderr: stderr(), ...notStarted });
    }
    isComplete = true;
  } finally {
    watchdog.stop();
    group.kill();
    if (!isComplete) failed.abort();
  }
}

/** Ends the stream instead of failing when it is destroyed after an abort. */
async function* untilAborted(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Reads a stream and keeps its end. */
function keepTail(stream: AsyncIterable<Uint8Array> & NodeJS.ReadableStream): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    kept = Buffer.concat([kept, bytes]).subarray(-MAX_STDERR_BYTES);
  });
  return () => kept.toString('utf8');
}

/** Builds the error for a perf script that hangs. */
function hungDecoder({ cpus, from, to }: DecodeJob, silentMs: number, stderr: string): PtflameError {
  const where = cpus ? ` of CPUs ${cpus.join(',')}` : '';
  const when =
    from || to ? ` from ${from ? perfTimeText(from) : 'the start'} to ${to ? perfTimeText(to) : 'the end'}` : '';
  return new PtflameError(
    'PERF_HANGS',
    `perf script${where}${when} printed nothing and used no CPU for ${formatDuration(silentMs * 1e6)}, and was killed`,
    {
      hint: 'try another perf: --perf PATH; with --debuginfod, it may be waiting for the network',
      output: stderr
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(-8),
    },
  );
}

const running = new Set<ProcessGroup>();

process.on('exit', () => {
  for (const group of running) group.kill();
});

/** Kills a program and everything that it started, at the latest when ptflame exits. */
export class ProcessGroup {
  /** `pid`: of a program started `detached`, as the leader of its group; undefined if it did not start. */
  constructor(private readonly pid: number | undefined) {
    running.add(this);
  }

  /** Sends SIGKILL, which no process can ignore. Safe to call repeatedly. */
  kill(): void {
    if (!running.delete(this) || this.pid === undefined) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // No process is left.
    }
  }
}

const BUFFER = '64K';

/**
 * Gives perf a larger output buffer with `stdbuf` of GNU coreutils. By default perf writes blocks of 4 KiB; each costs a system
 * call and a wake-up of the reader, so that decoding takes a third longer.
 *
 * Returns the command with `stdbuf`, or unchanged if `stdbuf` or the program does not exist.
 */
function withLargeWrites(program: string, args: readonly string[]): { program: string; args: readonly string[] } {
  if (!isProgram('stdbuf') || !isProgram(program)) return { program, args };
  return { program: 'stdbuf', args: [`--output=${BUFFER}`, program, ...args] };
}

function isProgram(program: string): boolean {
  if (program.includes('/')) return isExecutable(program);
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => isExecutable(join(directory, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Detects a hung process: it prints nothing while its output is awaited, and no process of its group uses a
 * CPU or waits for one.
 */
export class Watchdog {
  isHung = false;
  private readonly timer: NodeJS.Timeout;
  private isAwaited = false;
  /** CPU time of the group at the last check; null before the first. */
  private ticks: string | null = null;

  /**
   * `pid`: the leader of a process group. Calls `onHang` when the whole group was idle for `silentMs`. `proc`: where the
   * system shows its processes.
   */
  constructor(
    private readonly pid: number | undefined,
    readonly silentMs: number,
    private readonly onHang: () => void,
    private readonly proc = '/proc',
  ) {
    this.timer = setInterval(() => this.check(), silentMs);
    this.timer.unref();
  }

  /** Passes the bytes through. The process cannot count as hung while no read is pending. */
  async *watch(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.isAwaited = true;
    for await (const piece of bytes) {
      this.isAwaited = false;
      this.ticks = null;
      yield piece;
      this.isAwaited = true;
    }
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const ticks = this.isAwaited ? groupTicks(this.proc, this.pid) : null;
    if (ticks !== null && ticks === this.ticks) {
      this.isHung = true;
      this.stop();
      this.onHang();
    }
    this.ticks = ticks;
  }
}

/** Returns the CPU time of each process of a group; '' if all are gone, null if one is runnable, or if it is unknown. */
function groupTicks(proc: string, group: number | undefined): string | null {
  try {
    const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
    const members = pids
      .map((pid) => [pid, statOf(join(proc, pid))] as const)
      .filter(([, stat]) => Number(stat[GROUP]) === group);
    if (members.some(([, stat]) => stat[STATE] === RUNNABLE)) return null;
    return members.map(([pid, stat]) => `${pid} ${stat[USER_TICKS]} ${stat[KERNEL_TICKS]}\n`).join('');
  } catch {
    return null;
  }
}

/** Returns the fields after a process's name, which may contain blanks; none if it is gone. */
function statOf(directory: string): readonly string[] {
  try {
    const stat = readFileSync(join(directory, 'stat'), 'latin1');
    return stat.slice(stat.lastIndexOf(')')).split(' ');
  } catch {
    return [];
  }
}

const STATE = 1;
const GROUP = 3;
const USER_TICKS = 12;
const KERNEL_TICKS = 13;
/** Runs, or waits for a CPU: on a busy machine, its CPU time may stay the same for long. */
const RUNNABLE = 'R';
