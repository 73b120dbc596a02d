/**
 * A recording that is decoded while it is read: the text of several decoders, and what the recording itself tells.
 */
import { isPossibleTime } from '../../model/limits.js';
import { comparePerfTimes, type PerfTime } from '../../model/perf-time.js';
import type { RecordedWhere } from '../../model/profile.js';
import type { ThreadName, TraceChunk } from '../../model/trace-chunk.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { ChunkBuilder } from '../../parser/chunk-builder.js';
import { fromLatin1 } from '../../parser/intern.js';
import { FAR_TIME, impossibleLine } from '../../parser/possible.js';
import { takeSideband, wasBefore } from '../../parser/records.js';
import type { DecodeJob } from '../../perfdata/plan-jobs.js';
import type { RecordedEvent } from '../../perfdata/recording.js';
import type { TraceInput } from './inputs.js';

export interface DecodedRecording {
  readonly name: string;
  /** Each gives the text of one job; it begins when it is read. */
  readonly parts: readonly DecodedPart[];
  /** How many may be read at a time. */
  readonly atOnce: number;
  /** Switches, names and mappings: no decoder has to print them. */
  readonly sideband: readonly RecordedEvent[];
  readonly recorded: RecordedWhere | null;
  /** Why it is not all there; null: it is. */
  readonly broken: string | null;
}

export interface DecodedPart extends TraceInput {
  readonly job: DecodeJob;
}

/** Whose an error is: each decoder may print those of other processors and times, too. */
export class ErrorOwners {
  private readonly jobs: readonly DecodeJob[];
  private readonly known: ReadonlySet<number>;

  constructor(jobs: readonly DecodeJob[]) {
    this.jobs = jobs;
    this.known = new Set(jobs.flatMap(({ cpus }) => cpus ?? []));
  }

  /** What belongs to no job, as of a processor without a trace, the first one takes. */
  owns(job: DecodeJob, cpu: number, time: PerfTime): boolean {
    if (this.jobs.length === 1) return true;
    if (job.cpus !== null && !this.known.has(cpu)) return job === this.jobs[0];
    if (job.cpus !== null && !job.cpus.includes(cpu)) return false;
    const isEarly = job.from !== null && comparePerfTimes(time, job.from) < 0;
    const isLate = job.to !== null && comparePerfTimes(time, job.to) > 0;
    return !isEarly && !isLate;
  }
}

/** What a recording's own records say, and those that cannot be true. */
export interface SidebandTold {
  readonly chunk: TraceChunk;
  readonly damaged: readonly { readonly record: number; readonly what: string; readonly reason: string }[];
}

/** The recording's own records as the parser would take them from text. `timeOf`: since the origin of time. */
export function takeRecords(sideband: readonly RecordedEvent[], timeOf: (time: PerfTime) => Nanoseconds): SidebandTold {
  const damaged: { record: number; what: string; reason: string }[] = [];
  const chunk = new ChunkBuilder();
  const sink = {
    addRecord: chunk.addRecord.bind(chunk),
    addMapping: chunk.addMapping.bind(chunk),
    addName: (name: ThreadName) => chunk.addName({ ...name, comm: name.comm === null ? null : fromLatin1(name.comm) }),
  };
  sideband.forEach(({ tid, pid, cpu, time, record }, index) => {
    if (time === null) return;
    const prefix = { comm: null, pid, tid, cpu: cpu === NONE ? null : cpu, time };
    const line = { type: 'sideband', prefix, record } as const;
    const isNear = wasBefore(time) || isPossibleTime(timeOf(time));
    const reason = impossibleLine(line) ?? (isNear ? null : FAR_TIME);
    if (reason === null) takeSideband(line, timeOf(time), sink);
    else damaged.push({ record: index + 1, what: record.what, reason });
  });
  return { chunk: chunk.build(), damaged };
}
