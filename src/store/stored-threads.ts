/**
 * A filled store in, its threads out: which there are, what is stored of each, and what their records tell of them. Nothing is added any more.
 */
import type { PackedThread } from '../model/trace/packed-thread.js';
import type { Mapping, Selection, ThreadName, TraceRecord } from '../model/trace/trace-chunk.js';
import { NONE, type Tid } from '../model/units.js';
import type { ThreadNames } from './records/thread-names.js';
import type { EventMemory } from './runs/event-memory.js';
import type { StoreContents, TimeBounds } from './store-contents.js';
import type { ThreadSource } from './thread-source.js';
import { Undecoded } from './undecoded.js';

export class StoredThreads {
  /** The threads that are wanted, by tid. */
  readonly tids: readonly Tid[];
  /** Events of threads and processors that nobody asked for. */
  readonly unwanted: number;
  /** From the first to the last time of all threads, wanted or not, and of records where branches could not be decoded. */
  readonly bounds: TimeBounds;
  /** The same, of branches alone; infinite if there is none. */
  readonly branchBounds: TimeBounds;
  /** There is a record of a switch, of whatever thread. */
  readonly hasSwitches: boolean;
  readonly names: Pick<ThreadNames, 'pidOf' | 'commOf' | 'hasPids' | 'hasComms'>;
  readonly memory: Pick<EventMemory, 'shared'>;
  readonly undecoded: Undecoded;
  /** Threads ran, though there may be no branch of any. */
  readonly hasThreads: boolean;
  private readonly contents: StoreContents;

  constructor(contents: StoreContents) {
    const { names, memory, hasSwitches, hasBranches, threads, unwanted, bounds } = contents;
    this.contents = contents;
    this.names = names;
    this.memory = memory;
    this.hasSwitches = hasSwitches;
    this.undecoded = new Undecoded(contents);
    const unseen = this.undecoded.unseenTids();
    const all = [...threads.keys(), ...unseen].sort((a, b) => a - b);
    this.hasThreads = hasBranches || unseen.length > 0;
    this.branchBounds = bounds;
    this.bounds = this.undecoded.boundsWith(all);
    const isWanted = this.threadFilter();
    this.tids = all.filter(isWanted);
    const others = all.filter((tid) => !isWanted(tid));
    this.unwanted = others.reduce((sum, tid) => sum + this.eventCount(tid), unwanted);
  }

  /** All that was told beside the branches, in an order that the inputs do not decide. */
  allRecords(): { readonly records: TraceRecord[]; readonly names: ThreadName[]; readonly mappings: Mapping[] } {
    const records = [...this.contents.records.values()]
      .flatMap((records) => [...records.values()])
      .sort(compareRecords);
    return { records, names: this.contents.names.all(), mappings: this.contents.mappings.all() };
  }

  /** How many events a thread has. */
  eventCount(tid: Tid): number {
    return this.contents.threads.get(tid)?.events ?? 0;
  }

  /** All that there is of a thread, to be read here or in another thread of this program. */
  threadSource(tid: Tid): ThreadSource {
    const thread = this.contents.threads.get(tid);
    const lanes = [...(thread?.lanes.values() ?? [])];
    const packed = thread?.packed ? this.wantedOf(thread.packed) : null;
    const records = [...(this.contents.records.get(tid)?.values() ?? [])].map((record) => this.withinRecording(record));
    const unownedGaps = this.contents.unownedGaps.on(packed?.cpus ?? lanes.map(([first]) => first.cpu));
    const events = packed?.thread.lanes.reduce((sum, { events }) => sum + events, 0) ?? this.eventCount(tid);
    return { tid, events, lanes, packed, records, unownedGaps, recordingStartNs: this.bounds.startNs };
  }

  /** What may lie in the memory of the processes that branches are known of. */
  threadMappings(): Mapping[] {
    const pids = new Set<number>();
    for (const tid of this.contents.threads.keys()) {
      const pid = this.names.pidOf(tid);
      if (pid === null) return this.contents.mappings.within(null);
      pids.add(pid);
    }
    return this.contents.mappings.within(pids);
  }

  private wantedOf(thread: PackedThread): NonNullable<ThreadSource['packed']> {
    const cpus = thread.lanes.map(({ cpu }) => cpu).filter((cpu) => isWanted(this.contents.selection, thread.tid, cpu));
    return { thread, cpus };
  }

  /** A switch seen outside the recording, by a garbled time or a late record, counts at its border. */
  private withinRecording(record: TraceRecord): TraceRecord {
    if (record.what !== 'switch') return record;
    return { ...record, timeNs: Math.min(Math.max(record.timeNs, this.bounds.startNs), this.bounds.endNs) };
  }

  private threadFilter(): (tid: Tid) => boolean {
    const { pids, comm } = this.contents.selection;
    const isNamed = comm === undefined ? () => true : this.contents.names.matcher(comm);
    return (tid) => (!pids || pids.includes(this.names.pidOf(tid) ?? NONE)) && isNamed(tid);
  }
}

/** Whether a selection wants what a thread did on a processor, as far as numbers tell. */
export function isWanted({ tids, cpus }: Selection, tid: Tid, cpu: number): boolean {
  return !(tids && !tids.includes(tid)) && !(cpus && !cpus.includes(cpu));
}

const CONTENT = ['what', 'cpu', 'direction', 'pid', 'parentPid', 'code', 'ip', 'message'];

function compareRecords(a: TraceRecord, b: TraceRecord): number {
  const byTime = a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? -1 : 1;
  return a.tid - b.tid || byTime || (JSON.stringify(a, CONTENT) < JSON.stringify(b, CONTENT) ? -1 : 1);
}
