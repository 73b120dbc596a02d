/**
 * Chunks of all inputs in, each thread's events out, in the order in which they happened.
 */
import type { BranchSites } from '../model/branch-sites.js';
import type { ThreadEvents } from '../model/thread-events.js';
import type { EventColumns, Selection, TraceChunk, TraceRecord } from '../model/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { byTimeThenContent, type GapRecord, UnownedGaps } from './gap-records.js';
import { LaneBuilder } from './lane.js';
import { Mappings } from './mappings.js';
import { type MergedLanes, mergeLanes } from './merge-lanes.js';
import { placeRecords } from './place-records.js';
import { ThreadNames } from './thread-names.js';

export interface StoredThread {
  readonly events: ThreadEvents;
  /** perf's errors among the events, in their order. */
  readonly gaps: readonly GapRecord[];
  readonly isCreatedInside: boolean;
  readonly clockSteps: number;
}

/** Everything in memory. */
export class TraceStore {
  readonly names = new ThreadNames();
  /** Over all threads, wanted or not. */
  startNs: Nanoseconds = Number.POSITIVE_INFINITY;
  endNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  /** Events of threads and processors that nobody asked for. */
  unwanted = 0;
  private readonly mappings = new Mappings();
  private readonly selection: Selection;
  private readonly lanes = new Map<Tid, Map<number, LaneBuilder>>();
  /** Of the last event: mostly the next one's, too. */
  private lastTid: Tid = NONE;
  private lastCpu: number = NONE;
  private lastLane: LaneBuilder | null = null;
  private readonly unownedGaps = new UnownedGaps();
  private readonly records = new Map<Tid, Map<string, TraceRecord>>();

  constructor(selection: Selection) {
    this.selection = selection;
  }

  /** `input` names the file: pieces of one name are taken to follow each other. */
  add(chunk: TraceChunk, input: string): void {
    for (const name of chunk.names) this.names.add(name);
    for (const mapping of chunk.mappings) this.mappings.add(mapping);
    for (const record of chunk.records) this.addRecord(record);
    for (let row = 0; row < chunk.events.length; row++) this.addEvent(chunk.events, row, input);
  }

  /** The threads that are wanted, by tid; those left out are counted as unwanted, once. */
  wantedTids(): Tid[] {
    const all = [...this.lanes.keys()].sort((a, b) => a - b);
    const isWanted = (tid: Tid) => this.isWantedThread(tid);
    const [wanted, others] = [all.filter(isWanted), all.filter((tid) => !isWanted(tid))];
    for (const tid of others) this.unwanted += this.countEvents(tid);
    return wanted;
  }

  private countEvents(tid: Tid): number {
    return [...(this.lanes.get(tid)?.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
  }

  *threads(tids: readonly Tid[], sites: BranchSites): Generator<StoredThread> {
    for (const tid of tids) {
      const lanes = [...(this.lanes.get(tid)?.values() ?? [])].map((lane) => lane.build());
      const merged = mergeLanes(lanes, sites);
      const records = this.recordsOf(tid, merged);
      const events = placeRecords(tid, merged, records, sites);
      const gaps = records.filter((record) => record.what === 'gap').sort(byTimeThenContent);
      const isCreatedInside = records.some(({ what }) => what === 'fork');
      yield { events, gaps, isCreatedInside, clockSteps: merged.clockSteps };
    }
  }

  /** The file that the address of an error in a thread lies in; null if the trace does not tell. */
  fileOf(tid: Tid, { pid, ip, timeNs }: GapRecord): string | null {
    return this.mappings.fileAt(pid === NONE ? (this.names.pidOf(tid) ?? NONE) : pid, ip, timeNs);
  }

  private addEvent({ tid: tids, cpu: cpus, site, timeNs }: EventColumns, row: number, input: string): void {
    const tid = tids[row];
    const cpu = cpus[row];
    const atNs = timeNs[row];
    if (atNs < this.startNs) this.startNs = atNs;
    if (atNs > this.endNs) this.endNs = atNs;
    const lane = this.lastTid === tid && this.lastCpu === cpu ? this.lastLane : this.laneOf(tid, cpu);
    if (lane === null) this.unwanted++;
    else lane.add(input, site[row], atNs);
  }

  /** null: nobody asked for it. */
  private laneOf(tid: Tid, cpu: number): LaneBuilder | null {
    this.lastTid = tid;
    this.lastCpu = cpu;
    this.lastLane = this.isWanted(tid, cpu) ? this.openLane(tid, cpu) : null;
    return this.lastLane;
  }

  private isWanted(tid: Tid, cpu: number): boolean {
    const { tids, cpus } = this.selection;
    return !(tids && !tids.includes(tid)) && !(cpus && !cpus.includes(cpu));
  }

  private openLane(tid: Tid, cpu: number): LaneBuilder {
    let lanes = this.lanes.get(tid);
    if (lanes === undefined) this.lanes.set(tid, (lanes = new Map()));
    let lane = lanes.get(cpu);
    if (lane === undefined) lanes.set(cpu, (lane = new LaneBuilder(cpu)));
    return lane;
  }

  // Decoding in slices repeats such records in every slice, so equal ones are one.
  private addRecord(record: TraceRecord): void {
    if (record.what === 'fork') this.mappings.addFork(record.pid, record.parentPid, record.timeNs);
    if (record.what === 'exec') this.mappings.addExec(record.pid, record.timeNs);
    let records = this.records.get(record.tid);
    if (records === undefined) this.records.set(record.tid, (records = new Map()));
    const content = JSON.stringify(record);
    if (record.tid === NONE && record.what === 'gap' && !records.has(content)) this.unownedGaps.add(record);
    records.set(content, record);
  }

  /** Those of the thread itself, and losses of no certain thread on the processor it was last seen on. */
  private recordsOf(tid: Tid, merged: MergedLanes): TraceRecord[] {
    const own = [...(this.records.get(tid)?.values() ?? [])].map((record) => this.withinRecording(record));
    return [...own, ...this.unownedGaps.of(merged)];
  }

  /** A switch seen outside the recording, by a garbled time or a late record, counts at its border. */
  private withinRecording(record: TraceRecord): TraceRecord {
    if (record.what !== 'switch') return record;
    return { ...record, timeNs: Math.min(Math.max(record.timeNs, this.startNs), this.endNs) };
  }

  private isWantedThread(tid: Tid): boolean {
    const { pids, comm } = this.selection;
    if (pids && !pids.includes(this.names.pidOf(tid) ?? NONE)) return false;
    return comm === undefined || this.names.everMatched(tid, comm);
  }
}
