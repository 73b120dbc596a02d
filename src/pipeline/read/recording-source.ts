/**
 * Reads a recording that is decoded meanwhile: the text of several decoders, and the recording's own records.
 */
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { comparePerfTimes, type PerfTime } from '../../model/trace/perf-time.js';
import type { TraceChunk } from '../../model/trace/trace-chunk.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import type { SideRecording } from '../../perfdata/open-recording.js';
import type { DecodeJob } from '../../perfdata/plan-jobs.js';
import type { RecordedEvent } from '../../perfdata/recording.js';
import type { TraceInput } from '../input/trace-input.js';
import { addOwnRecords } from './own-records.js';
import { addRecordedSamples, type Sampled } from './recorded-samples.js';
import type { Source } from './source.js';
import { readText } from './text-source.js';
import type { TraceBuilder } from './trace-builder.js';

export interface DecodedRecording {
  readonly name: string;
  /** The size of its text is unknown. */
  readonly sizeBytes?: null;
  /** Each yields the text of one job; decoding begins when it is read. */
  readonly parts: readonly DecodedPart[];
  /** How many parts may be read at the same time. */
  readonly maxConcurrent: number;
  /** Switches, names and mappings, so that no decoder has to print them. */
  readonly sideband: readonly RecordedEvent[];
  /** Its samples, which perf does not print. Default: none. */
  readonly samplesOf?: Sampled;
  readonly sides?: readonly SideRecording[];
  readonly recorded: RecordingEnvironment | null;
  /** Why it is incomplete; null: it is complete. */
  readonly broken: string | null;
}

export interface DecodedPart extends TraceInput {
  readonly job: DecodeJob;
}

export class RecordingSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;
  private readonly recording: DecodedRecording;
  private readonly owners: ErrorOwners;

  constructor(recording: DecodedRecording) {
    this.name = recording.name;
    this.recorded = recording.recorded;
    this.recording = recording;
    this.owners = new ErrorOwners(recording.parts.map(({ job }) => job));
  }

  /** Reads the output of several decoders at a time, then the recording's own records. */
  async read(into: TraceBuilder): Promise<void> {
    const { name, parts, maxConcurrent, broken } = this.recording;
    if (broken !== null) into.addAccount({ broken: [{ input: name, reason: broken }] });
    const waiting = [...parts];
    const readOnes = async () => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await this.readPart(part, into);
    };
    await Promise.all(Array.from({ length: maxConcurrent }, readOnes));
    into.isDecodedHere = true;
    const { sideband, samplesOf, sides = [] } = this.recording;
    addOwnRecords(name, sideband, into);
    if (samplesOf) addRecordedSamples(name, samplesOf, sides, into);
  }

  private async readPart(part: DecodedPart, into: TraceBuilder): Promise<void> {
    await readText(part, into, (chunk, parser) => this.withOwnErrors(chunk, part, parser, into));
  }

  private withOwnErrors(
    chunk: TraceChunk,
    { job }: DecodedPart,
    parser: TraceParser,
    { context }: TraceBuilder,
  ): TraceChunk {
    const records = chunk.records.filter(
      ({ what, cpu, timeNs }) => what !== 'gap' || this.owners.owns(job, cpu, context.perfTimeOf(timeNs)),
    );
    const others = chunk.records.length - records.length;
    parser.counts.lines -= others;
    parser.counts.gapLines -= others;
    parser.forgetOtherSamples();
    return { ...chunk, records };
  }
}

/**
 * Decides which decoder of a recording owns an error that several of them print.
 *
 * Errors by decoder: each one may also print those of other CPUs and times.
 */
export class ErrorOwners {
  private readonly jobs: readonly DecodeJob[];
  private readonly known: ReadonlySet<number>;

  constructor(jobs: readonly DecodeJob[]) {
    this.jobs = jobs;
    this.known = new Set(jobs.flatMap(({ cpus }) => cpus ?? []));
  }

  /** The first job owns what belongs to no job, such as errors of a CPU without a trace. */
  owns(job: DecodeJob, cpu: number, time: PerfTime): boolean {
    if (this.jobs.length === 1) return true;
    if (job.cpus !== null && !this.known.has(cpu)) return job === this.jobs[0];
    if (job.cpus !== null && !job.cpus.includes(cpu)) return false;
    const isEarly = job.from !== null && comparePerfTimes(time, job.from) < 0;
    const isLate = job.to !== null && comparePerfTimes(time, job.to) > 0;
    return !isEarly && !isLate;
  }
}
