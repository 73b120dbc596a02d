/**
 * Stores the chunks of all inputs by thread.
 */

import type { PackedOutline, PackedThread } from '../codec/block-head.js';
import type { GroupedEvents, Selection, TraceChunk, TraceRecord } from '../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { EventMemory, type EventMemoryOptions } from './event-memory.js';
import type { LaneRuns } from './lanes/lane.js';
import { type GapRecord, UnownedGaps } from './records/gap-records.js';
import { Mappings } from './records/mappings.js';
import { type RareRecord, recordKey, SwitchLog } from './records/switch-log.js';
import { ThreadNames } from './records/thread-names.js';
import { eventsOf, type StoredThread } from './store-contents.js';
import { isDecodeError, isSelected, StoredThreads } from './stored-threads.js';

/** In numbers: longer ones on disk would make parts of threads uneven, and shorter ones take more reads. */
const JOINED_LENGTH = 64 * 1024;

export class TraceStore {
  private readonly names = new ThreadNames();
  /** Of all threads, selected or not. */
  startNs: Nanoseconds = Number.POSITIVE_INFINITY;
  endNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  /** Events outside the selected threads and CPUs. */
  unwanted = 0;
  private readonly mappings = new Mappings();
  readonly memory: EventMemory;
  private readonly threads = new Map<Tid, StoredThread>();
  private hasErrors = false;
  /** Some thread has a branch. */
  private hasBranches = false;
  private readonly unownedGaps = new UnownedGaps();
  private readonly records = new Map<Tid, Map<string, RareRecord>>();
  private readonly switches = new SwitchLog();

  constructor(
    private readonly selection: Selection,
    memory: EventMemoryOptions,
  ) {
    this.memory = new EventMemory(memory);
  }

  /** Adds a chunk. `input` names the file: chunks with the same name follow each other. */
  add(chunk: TraceChunk, input: string): void {
    this.addRecords(chunk);
    for (const events of chunk.events) this.addEvents(events, input);
  }

  /** Adds records, names and mappings. */
  addRecords({ records, names, mappings }: Pick<TraceChunk, 'records' | 'names' | 'mappings'>): void {
    for (const name of names) this.names.add(name);
    for (const mapping of mappings) this.mappings.add(mapping);
    for (const record of records) this.addRecord(record);
  }

  /** Adds a thread of a trace file, with all its CPUs. */
  addPacked(packed: PackedThread, outline: PackedOutline | null): void {
    const { tid, lanes } = packed;
    if (eventsOf(lanes) > 0) this.hasBranches = true;
    const events = eventsOf(lanes.filter(({ cpu }) => isSelected(this.selection, tid, cpu)));
    this.unwanted += eventsOf(lanes) - events;
    if (events > 0) this.threads.set(tid, { lanes: new Map(), packed, outline, events });
  }

  /**
   * Ends the store. `isTimed`: branches have times; only then can records show what was lost between them. `isExplained`:
   * whether an error is known to be about something else than undecoded code.
   */
  freeze(isTimed: boolean, isExplained: (error: GapRecord) => boolean = () => false): StoredThreads {
    const { names, mappings, selection, memory, threads, records, switches, unownedGaps } = this;
    const { startNs, endNs, unwanted, hasBranches } = this;
    return new StoredThreads({
      ...{ names, mappings, selection, memory, threads, records, switches, unownedGaps },
      ...{ isTimed, bounds: { startNs, endNs }, unwanted, hasBranches, isExplained },
      hasErrors: this.hasErrors && this.hasErrorOtherThan(isExplained),
    });
  }

  private addEvents({ runs, events, startNs, endNs }: GroupedEvents, input: string): void {
    if (runs.length > 0) {
      this.hasBranches = true;
      this.startNs = Math.min(this.startNs, startNs);
      this.endNs = Math.max(this.endNs, endNs);
    }
    let at = 0;
    for (const { tid, cpu, length, events: count } of runs) {
      this.addRun(tid, cpu, input, events.subarray(at, at + length), count);
      at += length;
    }
  }

  private addRun(tid: Tid, cpu: number, input: string, run: Int32Array, events: number): void {
    if (!isSelected(this.selection, tid, cpu)) {
      this.unwanted += events;
      return;
    }
    const lane = this.laneOf(tid, cpu, input, events);
    if (!this.memory.hasSpaceFor(run.length)) this.spill();
    lane.addresses.push(this.memory.add(run));
    lane.lengths.push(run.length);
    lane.events.push(events);
  }

  /** Writes all runs to disk when memory is full, thread by thread, in the order in which they will be read. */
  private spill(): void {
    const tids = [...this.threads.keys()].sort((a, b) => a - b);
    for (const tid of tids)
      for (const lane of [...(this.threads.get(tid)?.lanes.values() ?? [])].flat()) this.spillLane(lane);
    this.memory.clear();
  }

  /** Joins short runs: whoever reads one has it in memory, and parts of threads begin where runs do. */
  private spillLane({ addresses, lengths, events }: LaneRuns): void {
    const kept = addresses.findIndex((address) => address >= 0);
    if (kept === -1) return;
    const [own, ownLengths, ownEvents] = [addresses.splice(kept), lengths.splice(kept), events.splice(kept)];
    for (let first = 0, end = 0; first < own.length; first = end) {
      let length = ownLengths[end++];
      while (end < own.length && length + ownLengths[end] <= JOINED_LENGTH) length += ownLengths[end++];
      addresses.push(this.memory.spill(own.slice(first, end), ownLengths.slice(first, end)));
      lengths.push(length);
      events.push(ownEvents.slice(first, end).reduce((sum, count) => sum + count, 0));
    }
  }

  private laneOf(tid: Tid, cpu: number, input: string, events: number): LaneRuns {
    let thread = this.threads.get(tid);
    if (thread === undefined)
      this.threads.set(tid, (thread = { lanes: new Map(), packed: null, outline: null, events: 0 }));
    thread.events += events;
    let inputs = thread.lanes.get(cpu);
    if (inputs === undefined) thread.lanes.set(cpu, (inputs = []));
    let lane = inputs.findLast((lane) => lane.input === input); // mostly the last one: few inputs are read at the same time
    if (lane === undefined) inputs.push((lane = { cpu, input, addresses: [], lengths: [], events: [] }));
    return lane;
  }

  private hasErrorOtherThan(isExplained: (error: GapRecord) => boolean): boolean {
    const isOther = (record: RareRecord) => isDecodeError(record) && !isExplained(record);
    return [...this.records.values()].some((records) => [...records.values()].some(isOther));
  }

  // Decoding in parts repeats such records in every part, so duplicates are dropped.
  private addRecord(record: TraceRecord): void {
    if (record.what === 'switch') return this.switches.add(record);
    if (isDecodeError(record)) this.hasErrors = true;
    if (record.what === 'fork') this.mappings.addFork(record.pid, record.parentPid, record.timeNs);
    if (record.what === 'exec') this.mappings.addExec(record.pid, record.timeNs);
    let records = this.records.get(record.tid);
    if (records === undefined) this.records.set(record.tid, (records = new Map()));
    const key = recordKey(record);
    if (record.tid === NONE && record.what === 'gap' && !records.has(key)) this.unownedGaps.add(record);
    records.set(key, record);
  }
}
