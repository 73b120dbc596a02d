/**
 * Collects the events, records, names, mappings and samples of a chunk, from branches and from all other lines.
 */

import { SampleContext, type SampleTable } from '../../model/sample-table.js';
import { SampleTablesBuilder } from '../../model/sample-tables-builder.js';
import { RunsBuilder } from '../../model/trace/event-runs.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { GroupedEvents, Mapping, ThreadName, TraceChunk, TraceRecord } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE, type SiteId, type Tid } from '../../model/units.js';
import { copied, fromLatin1 } from '../intern.js';
import { type Head, NOT_PRINTED } from '../lines/line-prefix.js';
import type { PerfLine } from '../lines/perf-line-types.js';

export class ChunkBuilder {
  private events: GroupedEvents[] = [];
  private readonly runs = new RunsBuilder();
  private records: TraceRecord[] = [];
  private names: ThreadName[] = [];
  private mappings: Mapping[] = [];

  addEvent(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds): void {
    this.runs.add(tid, cpu, site, timeNs);
  }

  /** Adds events that come after all that were added. */
  addEvents(events: GroupedEvents): void {
    this.events.push(...this.runs.build(), events);
  }

  addRecord(record: TraceRecord): void {
    this.records.push(record);
  }

  addName(name: ThreadName): void {
    this.names.push(name);
  }

  addMapping(mapping: Mapping): void {
    this.mappings.push(mapping);
  }

  /** Returns what was added, and starts over. */
  build(): TraceChunk {
    const { records, names, mappings } = this;
    const events = [...this.events, ...this.runs.build()];
    this.events = [];
    this.records = [];
    this.names = [];
    this.mappings = [];
    return { events, records, names, mappings };
  }
}

/** Adds names and processes of threads to chunks, each once until it changes: most lines repeat them. */
export class ThreadNames {
  private readonly names = new Map<Tid, string>();
  /** The head that was added last, until its thread gets another name. */
  private head: Head | null = null;

  constructor(private readonly chunk: ChunkBuilder) {}

  /** What a line of a branch prints of its thread. */
  addHead(head: Head, timeNs: Nanoseconds): void {
    if (head === this.head) return;
    const { pid, comm } = head;
    if (pid !== NOT_PRINTED || comm !== null) this.add({ ...nameOf(head), timeNs });
    this.head = head;
  }

  /** The `comm` of the name is bytes as latin1 characters. */
  add(name: ThreadName): void {
    const text = `${name.pid}/${name.comm}`;
    if (this.names.get(name.tid) === text) return;
    this.names.set(name.tid, copied(text));
    if (name.tid === this.head?.tid) this.head = null; // a branch that prints its name adds it again
    this.chunk.addName({ ...name, comm: name.comm === null ? null : fromLatin1(name.comm) });
  }
}

/** What a head says of its thread: without the time. */
export function nameOf({ tid, pid, comm }: Head): Omit<ThreadName, 'timeNs'> {
  return { tid, pid: pid === NOT_PRINTED ? null : pid, comm, parent: null };
}

/** Converts lines that are not branches into records, thread names and mappings. */
export type ErrorLine = Extract<PerfLine, { type: 'error' }>;
export type SidebandLine = Extract<PerfLine, { type: 'sideband' }>;
type RecordOf<What> = Extract<SidebandLine['record'], { what: What }>;

const MAX_MESSAGE_LENGTH = 200;

interface CpuAndTime {
  readonly cpu: number;
  readonly timeNs: Nanoseconds;
}

/** Receives what lines contain; the `comm` of a name is bytes as latin1 characters. */
interface RecordSink {
  addRecord(record: TraceRecord): void;
  addName(name: ThreadName): void;
  addMapping(mapping: Mapping): void;
}

export function addError({ tid, pid, cpu, code, ip, message }: ErrorLine, timeNs: Nanoseconds, to: RecordSink): void {
  const text = fromLatin1(message.slice(0, MAX_MESSAGE_LENGTH));
  to.addRecord({ what: 'gap', tid, cpu, timeNs, code, message: text, ip, pid });
}

/** perf prints what existed before the recording at time 0, whatever its clock. */
export function isBeforeRecording(time: PerfTime | null): boolean {
  return time !== null && time.seconds === 0 && time.ns === 0;
}

/**
 * `timeNs` is the time of the line or, if it has none, of the branch before it. Records from before the recording get
 * −Infinity, so that they precede everything in it: perf names a thread `perf-exec` until it becomes the recorded
 * program.
 */
export function addSideband({ prefix, record }: SidebandLine, timeNs: Nanoseconds, to: RecordSink): void {
  const existedBefore = isBeforeRecording(prefix.time);
  const at = { cpu: prefix.cpu ?? NONE, timeNs: existedBefore ? Number.NEGATIVE_INFINITY : timeNs };
  switch (record.what) {
    case 'switch':
      return to.addRecord({ what: 'switch', direction: record.direction, tid: prefix.tid, ...at });
    case 'comm':
      return addComm(record, at, existedBefore, to);
    case 'fork':
      return addFork(record, at, existedBefore, to);
    case 'exit':
      return to.addRecord({ what: 'exit', tid: record.tid, pid: record.pid, ...at });
    case 'traced':
      return addTraced(record, at, to);
    case 'mmap':
      return addMapping(record, at.timeNs, to);
    case 'other':
  }
}

function addComm(
  { exec, name, tid, pid }: RecordOf<'comm'>,
  at: CpuAndTime,
  existedBefore: boolean,
  to: RecordSink,
): void {
  to.addName({ tid, pid, comm: name, parent: null, timeNs: at.timeNs });
  if (exec && !existedBefore) to.addRecord({ what: 'exec', tid, pid, ...at });
}

/** Forks from before the recording only name their threads, which did not begin at that time. */
function addFork(
  { tid, pid, parentPid, parent }: RecordOf<'fork'>,
  at: CpuAndTime,
  existedBefore: boolean,
  to: RecordSink,
): void {
  if (!existedBefore) to.addRecord({ what: 'fork', tid, pid, parentPid, ...at });
  to.addName({ tid, pid, comm: null, parent, timeNs: at.timeNs });
  to.addName({ tid: parent, pid: parentPid, comm: null, parent: null, timeNs: at.timeNs });
}

function addTraced({ tid, pid }: RecordOf<'traced'>, at: CpuAndTime, to: RecordSink): void {
  to.addRecord({ what: 'traced', tid, pid, ...at });
  to.addName({ tid, pid, comm: null, parent: null, timeNs: at.timeNs });
}

function addMapping({ what, file, ...mapping }: RecordOf<'mmap'>, timeNs: Nanoseconds, to: RecordSink): void {
  to.addMapping({ ...mapping, file: fromLatin1(file), timeNs });
}

/** Collects samples that were read from text into tables, as they are read from recordings. */
export type SampleLine = Extract<PerfLine, { type: 'sample' }>;

const MAX_KEPT_TEXTS = 4096;

export class TextSamples {
  /** Lines with a sample, also of events that are not known. */
  lines = 0;
  private readonly tables = new SampleTablesBuilder();
  /** Texts repeat, such as names of threads. */
  private readonly texts = new Map<string, string>();

  /** Text does not show whether a sample was taken in an interrupt. */
  add({ prefix, sample }: SampleLine, timeNs: Nanoseconds): void {
    this.lines++;
    if (sample === null) return;
    const table = this.tables.table(sample.event);
    const { tid, pid, cpu } = prefix;
    const row = table.addRow(timeNs, tid, pid ?? NONE, cpu ?? NONE, SampleContext.Unknown);
    for (const { name, value, style } of sample.values) {
      const field = table.field(name, style);
      if (typeof value === 'number') field.setNumber(row, value);
      else field.setText(row, this.decoded(value));
    }
  }

  /** Adds what another collector built from the lines that follow. */
  append(tables: readonly SampleTable[], lines: number): void {
    this.lines += lines;
    for (const table of tables) this.tables.table(table.event).append(table);
  }

  build(): SampleTable[] {
    return this.tables.build();
  }

  private decoded(text: string): string {
    let decoded = this.texts.get(text);
    if (decoded !== undefined) return decoded;
    if (this.texts.size === MAX_KEPT_TEXTS) this.texts.clear();
    decoded = fromLatin1(text);
    this.texts.set(copied(text), decoded);
    return decoded;
  }
}
