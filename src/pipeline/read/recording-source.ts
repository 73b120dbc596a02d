/**
 * Recordings as sources: one that is decoded meanwhile has the text of several decoders, and the recording's own records; one
 * without Intel PT has samples alone.
 */

import { isPossibleTime } from '../../model/limits.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { noLines } from '../../model/profile/profile.js';
import type { LostSpan, SampleTable } from '../../model/sample-table.js';
import { comparePerfTimes, type PerfTime } from '../../model/trace/perf-time.js';
import type { ThreadName, TraceChunk } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { fromLatin1 } from '../../parser/intern.js';
import { FAR_TIME, lineFault } from '../../parser/lines/perf-line.js';
import { addSideband, ChunkBuilder, isBeforeRecording } from '../../parser/pieces/chunk-builder.js';
import { MAX_DAMAGED_SHOWN } from '../../parser/pieces/standalone-piece.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import type { DecodeJob } from '../../perfdata/plan-jobs.js';
import type { RecordedEvent, RecordedSamples, Recording } from '../../perfdata/recording.js';
import type { SideRecording } from '../../perfdata/side-recording.js';
import type { TraceInput } from '../open-text.js';
import { type ProbedThread, probedCalls, type ThreadSwitch } from './probed-calls.js';
import { readText } from './text-source.js';
import type { Source, TraceBuilder } from './trace-builder.js';

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

interface DecodedPart extends TraceInput {
  readonly job: DecodeJob;
}

export class RecordingSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;
  private readonly owners: ErrorOwners;

  constructor(private readonly recording: DecodedRecording) {
    this.name = recording.name;
    this.recorded = recording.recorded;
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
  private readonly known: ReadonlySet<number>;

  constructor(private readonly jobs: readonly DecodeJob[]) {
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

// A recording without Intel PT as a source: only samples, switches and names.

/** Answers questions about waits; only probes at the entry and the returns of functions make calls. */
export interface SampledRecording {
  readonly name: string;
  /** There is no text. */
  readonly sizeBytes?: null;
  readonly sampled: Recording;
  readonly sides: readonly SideRecording[];
  readonly recorded: RecordingEnvironment | null;
  /** Why it is incomplete; null: it is complete. */
  readonly broken: string | null;
  /** Names such as `parse..reply`: what is between two of its events is a call, too. Default: none. */
  readonly spans?: readonly string[];
}

export class SampledSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;

  constructor(private readonly input: SampledRecording) {
    this.name = input.name;
    this.recorded = input.recorded;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { name, sampled, sides, broken } = this.input;
    if (broken !== null) into.addAccount({ broken: [{ input: name, reason: broken }] });
    if (sampled.bounds !== null) into.context.timeOf(sampled.bounds.start); // the first time is the origin of all
    addOwnRecords(name, sampled.sideband, into);
    addRecordedSamples(name, sampled, sides, into);
    into.withoutTrace.push(name);
    this.addProbedCalls(into);
  }

  private addProbedCalls(into: TraceBuilder): void {
    const { name, sampled, spans = [] } = this.input;
    const { context } = into;
    const { originSeconds } = sampled.samples;
    const probes = sampled.samples.tables.filter(({ length, event }) => length > 0 && !event.startsWith('sched:'));
    if (probes.length === 0) return;
    const offsetNs = context.timeOf({ seconds: originSeconds, ns: 0 });
    const sinceNs = offsetNs + overwrittenUntil(sampled);
    const tables = probes.map((table) => rowsAt(timed(table, offsetNs), (ns) => isPossibleTime(ns) && ns >= sinceNs));
    const found = probedCalls(
      tables,
      spans,
      threadsThatSwitched(sampled, sinceNs, (time) => context.timeOf(time)),
      context.interner,
    );
    if (found === null) return;
    const { length } = found;
    context.timed += length;
    into.leftOutCalls += found.leftOut;
    into.addAccount({ counts: { ...noLines(), lines: length, events: length } });
    into.add({ events: found.events, records: [], names: [], mappings: [] }, name);
  }
}

/** A CPU with fewer samples than this share of those of another one has overwritten none of them. */
const OVERWRITING_SHARE = 1 / 4;

/**
 * Returns the time, as samples have it, until when some CPU has overwritten its samples: before, a thread may have called and
 * returned on that CPU.
 */
function overwrittenUntil({ command, samples }: Recording): Nanoseconds {
  if (!command?.includes('--overwrite')) return Number.NEGATIVE_INFINITY;
  const cpus = new Map<number, { firstNs: Nanoseconds; count: number }>();
  for (const { cpu, timeNs } of samples.tables)
    for (let row = 0; row < cpu.length; row++) {
      const own = cpus.get(cpu[row]) ?? { firstNs: timeNs[row], count: 0 };
      cpus.set(cpu[row], { firstNs: Math.min(own.firstNs, timeNs[row]), count: own.count + 1 });
    }
  const most = Math.max(...[...cpus.values()].map(({ count }) => count));
  const full = [...cpus.values()].filter(({ count }) => count >= OVERWRITING_SHARE * most);
  return Math.max(...full.map(({ firstNs }) => firstNs));
}

/** Returns the threads that switches are known of: what they did before the first one and after the last one, too. */
function threadsThatSwitched(
  { sideband, bounds }: Recording,
  sinceNs: Nanoseconds,
  timeOf: (time: PerfTime) => Nanoseconds,
): Map<Tid, ProbedThread> {
  const threads = new Map<Tid, ProbedThread & { readonly switches: ThreadSwitch[]; endNs: Nanoseconds }>();
  if (bounds === null) return threads;
  const [startNs, endNs] = [Math.max(timeOf(bounds.start), sinceNs), timeOf(bounds.end)];
  for (const { tid, cpu, time, record } of sideband) {
    if (record.what !== 'switch' || time === null || tid <= 0) continue;
    const isIn = record.direction === 'in';
    const timeNs = Math.min(timeOf(time), endNs);
    if (timeNs < startNs) continue;
    const known = threads.get(tid) ?? { startNs: isIn ? timeNs : startNs, endNs, switches: [] };
    known.switches.push({ timeNs, cpu, isIn });
    known.endNs = isIn ? endNs : timeNs;
    threads.set(tid, known);
  }
  for (const { switches } of threads.values()) switches.sort((a, b) => a.timeNs - b.timeNs);
  return threads;
}

/** Adds the samples of a recording, and those of its side recordings, to a trace. */
type Sampled = Pick<Recording, 'samples' | 'lostRecords' | 'losses' | 'bounds'>;

export function addRecordedSamples(
  input: string,
  recording: Sampled,
  sides: readonly SideRecording[],
  into: TraceBuilder,
): void {
  const { samples, lostRecords: lost, bounds } = recording;
  const { unreadable, damaged } = samples;
  const far = addTables(samples, EVER, into);
  const lostSpans = lostSpansOf(recording, into);
  into.addOtherSamples(samples.others);
  into.addSampleAccount({ lines: 0, unreadable, damaged: damaged + far, lost, lostSpans });
  for (const { name, recording } of sides) {
    if (recording === null) into.addSide({ input, side: name, isMissing: true, samples: 0, unreadable: 0, lost: 0 });
    else addSide({ input, side: name, recording, bounds }, into);
  }
}

interface Side {
  readonly input: string;
  readonly side: string;
  readonly recording: Recording;
  /** Of the recording that it belongs to. */
  readonly bounds: Recording['bounds'];
}

function addSide({ input, side, recording, bounds }: Side, into: TraceBuilder): void {
  const { samples, lostRecords: lost, sideband } = recording;
  const { unreadable, damaged } = samples;
  const times = bounds === null ? NEVER : [bounds.start, bounds.end].map((time) => into.context.timeOf(time));
  const far = addTables(samples, times, into);
  const lostSpans = lostSpansOf(recording, into);
  into.addSampleAccount({ lines: 0, unreadable: 0, damaged: damaged + far, lost: 0, lostSpans });
  const count = samples.tables.reduce((sum, { length }) => sum + length, 0) - far;
  into.addSide({ input, side, isMissing: false, samples: count, unreadable, lost });
  addOwnRecords(side, sideband.flatMap(nameOnly), into);
}

/** Where a moment is not known, the loss may have lasted from the beginning or until the end. */
function lostSpansOf({ losses, bounds }: Sampled, { context }: TraceBuilder): LostSpan[] {
  if (bounds === null) return [];
  return losses.map(({ after, before }) => ({
    fromNs: context.timeOf(after ?? bounds.start),
    toNs: context.timeOf(before ?? bounds.end),
  }));
}

/** Only names of threads are of use: everything else is about threads that are not in the trace, or in it already. */
function nameOnly(event: RecordedEvent): RecordedEvent[] {
  const { record } = event;
  return record.what === 'comm' ? [{ ...event, record: { ...record, exec: false } }] : [];
}

/**
 * Returns how many samples are left out, because their time is impossible. Those outside of an interval are left out, too:
 * a side recording is longer than the recording, and nothing else is known of that time.
 */
function addTables(
  { tables, originSeconds }: RecordedSamples,
  [fromNs = 0, toNs = 0]: readonly Nanoseconds[],
  into: TraceBuilder,
): number {
  const hasTimes = tables.some(({ length }) => length > 0); // without, nothing is known of the clock
  const offsetNs = hasTimes ? into.context.timeOf({ seconds: originSeconds, ns: 0 }) : 0;
  const near = tables.map((table) => rowsAt(timed(table, offsetNs), isPossibleTime));
  into.addSamples(near.map((table) => rowsAt(table, (timeNs) => timeNs >= fromNs && timeNs <= toNs)));
  const countOf = (some: readonly SampleTable[]) => some.reduce((sum, { length }) => sum + length, 0);
  return countOf(tables) - countOf(near);
}

const EVER = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
/** Nothing happened in the recording, so nothing of its side recordings belongs to it. */
const NEVER = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** Returns a table with times of the trace. */
function timed(table: SampleTable, offsetNs: number): SampleTable {
  return offsetNs === 0 ? table : { ...table, timeNs: table.timeNs.map((time) => time + offsetNs) };
}

/** Returns the rows between the first and the last one at a wanted time. */
function rowsAt(table: SampleTable, isWanted: (timeNs: number) => boolean): SampleTable {
  const start = Math.max(table.timeNs.findIndex(isWanted), 0);
  const end = table.timeNs.findLastIndex(isWanted) + 1;
  if (start === 0 && end === table.length) return table;
  return {
    ...table,
    length: end - start,
    timeNs: table.timeNs.subarray(start, end),
    tid: table.tid.subarray(start, end),
    pid: table.pid.subarray(start, end),
    cpu: table.cpu.subarray(start, end),
    context: table.context.subarray(start, end),
    fields: table.fields.map((field) =>
      field.texts === null
        ? { ...field, numbers: field.numbers.subarray(start, end) }
        : { ...field, texts: field.texts.slice(start, end) },
    ),
  };
}

/** Adds a recording's own records (switches, names, mappings) to a trace. */
export function addOwnRecords(name: string, sideband: readonly RecordedEvent[], into: TraceBuilder): void {
  const { chunk, damaged } = sidebandChunk(sideband, (time) => into.context.timeOf(time));
  into.add(chunk, name);
  into.addAccount({
    counts: { ...noLines(), lines: damaged.length, damagedLines: damaged.length },
    damaged: damaged
      .slice(0, MAX_DAMAGED_SHOWN)
      .map(({ record, what, reason }) => ({ input: `${name}, record`, line: record, text: what, reason })),
  });
}

/**
 * Converts a recording's own records to a chunk, as the parser would build it from their text.
 *
 * The records of a recording, and those with impossible values.
 */
interface SidebandChunk {
  readonly chunk: TraceChunk;
  readonly damaged: readonly { readonly record: number; readonly what: string; readonly reason: string }[];
}

/** Converts records as the parser would convert their text. `timeOf`: nanoseconds since the trace's time 0. */
export function sidebandChunk(
  sideband: readonly RecordedEvent[],
  timeOf: (time: PerfTime) => Nanoseconds,
): SidebandChunk {
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
    const isNear = isBeforeRecording(time) || isPossibleTime(timeOf(time));
    const reason = lineFault(line) ?? (isNear ? null : FAR_TIME);
    if (reason === null) addSideband(line, timeOf(time), sink);
    else damaged.push({ record: index + 1, what: record.what, reason });
  });
  return { chunk: chunk.build(), damaged };
}
