/**
 * A recording in, the text of its branches out: decoded by `perf script`, several at a time, each a part of it.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import {
  type DecodedRecording,
  type DecodeJob,
  type PlanOptions,
  planJobs,
  type Recording,
  type RecordingEnvironment,
} from '../../../src/recordings.js';
import { perfTimeText } from '../../../src/text.js';
import { perfFailure } from '../failures/failures.js';
import { hungDecoder } from './hung-decoder.js';
import { withLargeWrites } from './large-writes.js';
import { ProcessGroup } from './process-group.js';
import { Watchdog } from './watchdog.js';

export interface DecodeOptions {
  /** What the recording is called, if not by its path. */
  readonly name?: string;
  /** The program. */
  readonly perf: string;
  /** Every branch, not only calls and returns: jumps show functions that were not called. */
  readonly precise: boolean;
  /** Where the files are that ran, in place of the root directory; null: there. */
  readonly symfs: string | null;
  /** Addresses of the recorded kernel; null: of this one, or as perf finds them. */
  readonly kallsyms: string | null;
  /** How many perf processes run at a time. */
  readonly jobs: number;
  /** How the work is divided; for tests of small recordings. */
  readonly plan?: Pick<PlanOptions, 'leastBytes'>;
  /** A decoder that neither prints nor computes for so long hangs. */
  readonly hangMs?: number;
}

/** Files tell apart functions of one name; a location stands in a mapping, which the recording itself tells of. */
const FIELDS = '-F-event,-period,+addr,-comm,+flags,+dso,+symoff,+pid';
/** A download of symbols may take its time. */
const HANG_MS = 120_000;
const MAX_STDERR_BYTES = 16 * 1024;

/** Decoders begin when their part is read; where one fails, or is not read to its end, all of them end. */
export function decodeRecording(path: string, recording: Recording, options: DecodeOptions): DecodedRecording {
  const jobs = planJobs(recording, { decoders: options.jobs, ...options.plan });
  const { name = path } = options;
  const failed = new AbortController();
  const parts = jobs.map((job, index) => ({
    name: jobs.length === 1 ? name : `${name}, part ${index + 1} of ${jobs.length}`,
    bytes: decode(path, job, options, failed),
    job,
  }));
  return {
    name,
    parts,
    maxConcurrent: options.jobs,
    sideband: recording.sideband,
    recorded: recordingEnvironment(recording),
    broken: null,
  };
}

function recordingEnvironment({ machine, command }: Recording): RecordingEnvironment {
  const { hostName: host, kernel, cpu, perfVersion: perf } = machine;
  return { host, kernel, cpu, perf, command, startedAt: null };
}

/** The arguments of perf for a part of a recording. */
export function scriptArguments(path: string, { cpus, from, to }: DecodeJob, options: DecodeOptions): string[] {
  const { precise, symfs, kallsyms } = options;
  const times = from || to ? `${from ? perfTimeText(from) : ''},${to ? perfTimeText(to) : ''}` : null;
  return [
    'script',
    `--input=${path}`,
    ...(needsForce(path) ? ['--force'] : []),
    `--itrace=${precise ? 'be' : 'cre'}`, // without the "e" perf keeps its errors to itself
    '--ns',
    FIELDS,
    ...(cpus ? [`--cpu=${cpus.join(',')}`] : []),
    ...(times === null ? [] : [`--time=${times}`]),
    ...(symfs === null ? [] : [`--symfs=${symfs}`]),
    ...(kallsyms === null ? [] : [`--kallsyms=${kallsyms}`]),
  ];
}

/** perf asks to be forced to read what neither root nor the user owns; what is gone, it says itself. */
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
  if (failed.signal.aborted) return;
  const { program, args } = withLargeWrites(options.perf, scriptArguments(path, job, options));
  const perf = execa(program, args, {
    stdin: 'ignore',
    buffer: false,
    reject: false,
    encoding: 'buffer',
    env: { LC_ALL: 'C', PAGER: 'cat' },
    detached: true, // as the leader of a group, which ends as a whole
  });
  const group = new ProcessGroup(perf.pid);
  const stderr = keepTail(perf.stderr);
  const watchdog = new Watchdog(perf.pid, options.hangMs ?? HANG_MS, () => failed.abort());
  failed.signal.addEventListener('abort', () => {
    group.kill();
    for (const stream of [perf.stdout, perf.stderr]) stream.destroy(); // somebody outside of the group may hold them
  });
  let isWhole = false;
  try {
    for await (const bytes of untilAborted(watchdog.watch(perf.stdout), failed.signal)) yield bytes;
    const { exitCode, signal, cause } = await perf;
    if (watchdog.isHung) throw hungDecoder(job, watchdog.silentMs, stderr());
    if (failed.signal.aborted) return; // what failed first is told
    if (exitCode !== 0) {
      const notStarted = !signal && exitCode === undefined && { cause };
      throw perfFailure({ command: 'script', exitCode, signal, stderr: stderr(), ...notStarted });
    }
    isWhole = true;
  } finally {
    watchdog.stop();
    group.kill();
    if (!isWhole) failed.abort();
  }
}

/** A stream that is destroyed then ends, in place of failing. */
async function* untilAborted(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Keeps the end of what a stream says. */
function keepTail(stream: AsyncIterable<Uint8Array> & NodeJS.ReadableStream): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    kept = Buffer.concat([kept, bytes]).subarray(-MAX_STDERR_BYTES);
  });
  return () => kept.toString('utf8');
}
