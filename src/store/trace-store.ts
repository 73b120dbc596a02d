/**
 * Chunks of all inputs in, each thread's events out, in the order in which they happened.
 */
import { RunBuilder } from '../model/event-run.js';
import type { PackedThread } from '../model/packed-thread.js';
import type {
  EventColumns,
  GroupedEvents,
  Mapping,
  Selection,
  ThreadName,
  TraceChunk,
  TraceRecord,
} from '../model/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { EventMemory, type EventMemoryOptions } from './event-memory.js';
import { type GapRecord, UnownedGaps } from './gap-records.js';
import type { LaneRuns } from './lane.js';
import { Mappings } from './mappings.js';
import { ThreadNames } from './thread-names.js';
import type { ThreadSource } from './thread-source.js';

interface StoredThread {
  readonly lanes: Map<number, LaneRuns[]>; // by processor
  /** Where a file has all of it. */
  readonly packed: PackedThread | null;
  events: number;
}

/** A store that everything was added to. */
export interface FilledStore
  extends Readonly<
    Pick<
      TraceStore,
      | 'eventsOf'
      | 'sourceOf'
      | 'fileOf'
      | 'undecodedFileOf'
      | 'mappingsOfThreads'
      | 'sideRecords'
      | 'hasSwitches'
      | 'lacksCode'
      | 'mayBeUndecoded'
      | 'knowsThreads'
    >
  > {
  readonly names: Pick<ThreadNames, 'pidOf' | 'commOf' | 'knowsPids' | 'knowsComms'>;
  readonly memory: Pick<EventMemory, 'shared'>;
}

export class TraceStore {
  readonly names = new ThreadNames();
  /** Over all threads, wanted or not. */
  startNs: Nanoseconds = Number.POSITIVE_INFINITY;
  endNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  /** Events of threads and processors that nobody asked for. */
  unwanted = 0;
  /** Branches have times: only then records tell what was lost between them. */
  isTimed = true;
  /** There is a record of a switch, of whatever thread. */
  hasSwitches = false;
  private readonly mappings = new Mappings();
  private readonly selection: Selection;
  readonly memory: EventMemory;
  private readonly threads = new Map<Tid, StoredThread>();
  private hasErrors = false;
  /** There is a branch, of whatever thread. */
  private hasBranches = false;
  private withoutCode: ReadonlySet<string | null> | null = null;
  private readonly unownedGaps = new UnownedGaps();
  private readonly records = new Map<Tid, Map<string, TraceRecord>>();

  constructor(selection: Selection, memory: EventMemoryOptions) {
    this.selection = selection;
    this.memory = new EventMemory(memory);
  }

  /** `input` names the file: pieces of one name are taken to follow each other. */
  add(chunk: TraceChunk, input: string): void {
    this.addSide(chunk);
    this.addColumns(chunk.events, input);
    if (chunk.grouped) this.addGrouped(chunk.grouped, input);
  }

  /** What was told beside the branches. */
  addSide({ records, names, mappings }: Pick<TraceChunk, 'records' | 'names' | 'mappings'>): void {
    for (const name of names) this.names.add(name);
    for (const mapping of mappings) this.mappings.add(mapping);
    for (const record of records) this.addRecord(record);
  }

  /** A thread that a file has, with all its processors. */
  addPacked(packed: PackedThread): void {
    const { tid, lanes } = packed;
    const eventsOf = (some: typeof lanes) => some.reduce((sum, { events }) => sum + events, 0);
    if (eventsOf(lanes) > 0) this.hasBranches = true;
    const events = eventsOf(lanes.filter(({ cpu }) => this.isWanted(tid, cpu)));
    this.unwanted += eventsOf(lanes) - events;
    if (events > 0) this.threads.set(tid, { lanes: new Map(), packed, events });
  }

  /** All that was told beside the branches, in an order that the inputs do not decide. */
  sideRecords(): { readonly records: TraceRecord[]; readonly names: ThreadName[]; readonly mappings: Mapping[] } {
    const records = [...this.records.values()].flatMap((records) => [...records.values()]).sort(compareRecords);
    return { records, names: this.names.all(), mappings: this.mappings.all() };
  }

  /** The threads that are wanted, by tid; those left out are counted as unwanted, once. */
  wantedTids(): Tid[] {
    const all = [...this.threads.keys(), ...this.unseenTids()].sort((a, b) => a - b);
    const isWanted = this.threadFilter();
    const [wanted, others] = [all.filter(isWanted), all.filter((tid) => !isWanted(tid))];
    for (const tid of others) this.unwanted += this.eventsOf(tid);
    return wanted;
  }

  /** perf failed to decode some of the trace, or all of it. Of the processors that are wanted alone it is not known what a thread did elsewhere. */
  get mayBeUndecoded(): boolean {
    return this.isTimed && (this.hasErrors || !this.hasBranches) && this.selection.cpus === undefined;
  }

  /** Threads ran, though there may be no branch of any. */
  get knowsThreads(): boolean {
    return this.hasBranches || this.unseenTids().length > 0;
  }

  /** Threads that ran, and of which no branch could be decoded: of processes that are traced, with switches or errors. */
  private unseenTids(): Tid[] {
    if (!this.mayBeUndecoded) return [];
    const pids = this.tracedPids();
    const isUnseen = (tid: Tid, records: readonly TraceRecord[]) =>
      tid > 0 &&
      !this.threads.has(tid) &&
      !(this.selection.tids && !this.selection.tids.includes(tid)) &&
      records.some((record) =>
        record.what === 'gap'
          ? isDecodeError(record) && record.pid > 0
          : record.what === 'switch' && pids.has(this.names.pidOf(tid)),
      );
    return [...this.records].flatMap(([tid, records]) => (isUnseen(tid, [...records.values()]) ? [tid] : []));
  }

  /** Processes whose branches were decoded, or whose trace began, or was met with an error. */
  private tracedPids(): ReadonlySet<number | null> {
    const pids = new Set([...this.threads.keys()].map((tid) => this.names.pidOf(tid)));
    for (const records of this.records.values())
      for (const record of records.values())
        if ((isDecodeError(record) || record.what === 'traced') && record.pid > 0) pids.add(record.pid);
    pids.delete(null);
    return pids;
  }

  /** The recording lasts as long as its records say, where branches do not show it: where they could not be decoded. */
  coverRecords(): void {
    if (!this.mayBeUndecoded) return;
    for (const tid of [...this.threads.keys(), ...this.unseenTids()])
      for (const { what, timeNs } of this.records.get(tid)?.values() ?? [])
        if ((what === 'switch' || what === 'gap') && Number.isFinite(timeNs)) this.extendTo(timeNs, timeNs);
  }

  /** How many events a thread has. */
  eventsOf(tid: Tid): number {
    return this.threads.get(tid)?.events ?? 0;
  }

  /** All that there is of a thread, to be read here or in another thread of this program. */
  sourceOf(tid: Tid): ThreadSource {
    const thread = this.threads.get(tid);
    const lanes = [...(thread?.lanes.values() ?? [])];
    const packed = thread?.packed ? this.wantedOf(thread.packed) : null;
    const records = [...(this.records.get(tid)?.values() ?? [])].map((record) => this.withinRecording(record));
    const unownedGaps = this.unownedGaps.on(packed?.cpus ?? lanes.map(([first]) => first.cpu));
    const events = packed?.thread.lanes.reduce((sum, { events }) => sum + events, 0) ?? this.eventsOf(tid);
    return { tid, events, lanes, packed, records, unownedGaps, recordingStartNs: this.startNs };
  }

  /** The file that the address of an error in a thread lies in; null if the trace does not tell. */
  fileOf(tid: Tid, { pid, ip, timeNs }: Pick<GapRecord, 'pid' | 'ip' | 'timeNs'>): string | null {
    return this.mappings.fileAt(pid === NONE ? (this.names.pidOf(tid) ?? NONE) : pid, ip, timeNs);
  }

  /** The same, if perf lacked the code of that file somewhere; null if not: that the thread was there last says little then. */
  undecodedFileOf(tid: Tid, at: Pick<GapRecord, 'pid' | 'ip' | 'timeNs'>): string | null {
    const file = this.mayBeUndecoded ? this.fileOf(tid, at) : null;
    return file !== null && this.filesWithoutCode().has(file) ? file : null;
  }

  /** perf lacked some code: what it passed over without a word is lost for that reason. */
  get lacksCode(): boolean {
    return this.mayBeUndecoded && this.filesWithoutCode().size > 0;
  }

  /** Files whose code perf lacked, or found to be another one; null: such code that lies in no known file. */
  private filesWithoutCode(): ReadonlySet<string | null> {
    this.withoutCode ??= new Set(
      [...this.records.values()]
        .flatMap((records) => [...records.values()])
        .filter((record) => record.what === 'gap' && IS_ABOUT_CODE.includes(record.code))
        .map((record) => this.fileOf(record.tid, record as GapRecord)),
    );
    return this.withoutCode;
  }

  /** What may lie in the memory of the processes that branches are known of. */
  mappingsOfThreads(): Mapping[] {
    const pids = new Set<number>();
    for (const tid of this.threads.keys()) {
      const pid = this.names.pidOf(tid);
      if (pid === null) return this.mappings.within(null);
      pids.add(pid);
    }
    return this.mappings.within(pids);
  }

  private wantedOf(thread: PackedThread): NonNullable<ThreadSource['packed']> {
    const cpus = thread.lanes.map(({ cpu }) => cpu).filter((cpu) => this.isWanted(thread.tid, cpu));
    return { thread, cpus };
  }

  private addColumns({ length, tid, cpu, site, timeNs }: EventColumns, input: string): void {
    const runs = new Map<string, { tid: Tid; cpu: number; events: number; run: RunBuilder }>();
    if (length > 0) this.hasBranches = true;
    for (let row = 0; row < length; row++) {
      this.extendTo(timeNs[row], timeNs[row]);
      const key = `${tid[row]} ${cpu[row]}`;
      let lane = runs.get(key);
      if (lane === undefined)
        runs.set(key, (lane = { tid: tid[row], cpu: cpu[row], events: 0, run: new RunBuilder() }));
      lane.run.add(site[row], timeNs[row]);
      lane.events++;
    }
    for (const { run, ...lane } of runs.values()) this.addRun(lane.tid, lane.cpu, input, run.build(), lane.events);
  }

  private addGrouped({ runs, events, startNs, endNs }: GroupedEvents, input: string): void {
    if (runs.length > 0) {
      this.hasBranches = true;
      this.extendTo(startNs, endNs);
    }
    let at = 0;
    for (const { tid, cpu, length, events: count } of runs) {
      this.addRun(tid, cpu, input, events.subarray(at, at + length), count);
      at += length;
    }
  }

  private extendTo(startNs: Nanoseconds, endNs: Nanoseconds): void {
    if (startNs < this.startNs) this.startNs = startNs;
    if (endNs > this.endNs) this.endNs = endNs;
  }

  private addRun(tid: Tid, cpu: number, input: string, run: Int32Array, events: number): void {
    if (!this.isWanted(tid, cpu)) {
      this.unwanted += events;
      return;
    }
    const { places, lengths } = this.laneOf(tid, cpu, input, events);
    if (!this.memory.hasRoomFor(run.length)) this.spill();
    places.push(this.memory.add(run));
    lengths.push(run.length);
  }

  /** Memory is full: all that is there goes to the disk, thread by thread, as it will be read. */
  private spill(): void {
    const tids = [...this.threads.keys()].sort((a, b) => a - b);
    for (const tid of tids)
      for (const lane of [...(this.threads.get(tid)?.lanes.values() ?? [])].flat()) this.spillLane(lane);
    this.memory.clear();
  }

  private spillLane({ places, lengths }: LaneRuns): void {
    const kept = places.findIndex((place) => place >= 0);
    if (kept === -1) return;
    const ownLengths = lengths.splice(kept);
    places.push(this.memory.spill(places.splice(kept), ownLengths));
    lengths.push(ownLengths.reduce((sum, length) => sum + length, 0));
  }

  private laneOf(tid: Tid, cpu: number, input: string, events: number): LaneRuns {
    let thread = this.threads.get(tid);
    if (thread === undefined) this.threads.set(tid, (thread = { lanes: new Map(), packed: null, events: 0 }));
    thread.events += events;
    let inputs = thread.lanes.get(cpu);
    if (inputs === undefined) thread.lanes.set(cpu, (inputs = []));
    let lane = inputs.findLast((lane) => lane.input === input); // mostly the last one: few inputs are read side by side
    if (lane === undefined) inputs.push((lane = { cpu, input, places: [], lengths: [] }));
    return lane;
  }

  private isWanted(tid: Tid, cpu: number): boolean {
    const { tids, cpus } = this.selection;
    return !(tids && !tids.includes(tid)) && !(cpus && !cpus.includes(cpu));
  }

  // Decoding in slices repeats such records in every slice, so equal ones are one.
  private addRecord(record: TraceRecord): void {
    if (isDecodeError(record)) this.hasErrors = true;
    if (record.what === 'switch') this.hasSwitches = true;
    if (record.what === 'fork') this.mappings.addFork(record.pid, record.parentPid, record.timeNs);
    if (record.what === 'exec') this.mappings.addExec(record.pid, record.timeNs);
    let records = this.records.get(record.tid);
    if (records === undefined) this.records.set(record.tid, (records = new Map()));
    const content = JSON.stringify(record);
    if (record.tid === NONE && record.what === 'gap' && !records.has(content)) this.unownedGaps.add(record);
    records.set(content, record);
  }

  /** A switch seen outside the recording, by a garbled time or a late record, counts at its border. */
  private withinRecording(record: TraceRecord): TraceRecord {
    if (record.what !== 'switch') return record;
    return { ...record, timeNs: Math.min(Math.max(record.timeNs, this.startNs), this.endNs) };
  }

  private threadFilter(): (tid: Tid) => boolean {
    const { pids, comm } = this.selection;
    const isNamed = comm === undefined ? () => true : this.names.matcher(comm);
    return (tid) => (!pids || pids.includes(this.names.pidOf(tid) ?? NONE)) && isNamed(tid);
  }
}

/** perf's overflow packet and lost trace data: there is nothing that could be decoded. */
const WAS_NOT_RECORDED: readonly number[] = [7, 8];

function isDecodeError(record: TraceRecord): record is GapRecord {
  return record.what === 'gap' && !WAS_NOT_RECORDED.includes(record.code);
}

/** perf's errors of code that is missing, or that is not what the trace says. */
const IS_ABOUT_CODE: readonly number[] = [5, 6];

const CONTENT = ['what', 'cpu', 'direction', 'pid', 'parentPid', 'code', 'ip', 'message'];

function compareRecords(a: TraceRecord, b: TraceRecord): number {
  const byTime = a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? -1 : 1;
  return a.tid - b.tid || byTime || (JSON.stringify(a, CONTENT) < JSON.stringify(b, CONTENT) ? -1 : 1);
}
