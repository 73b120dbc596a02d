/**
 * A filled, read-only store: lists the threads and returns what is stored of each.
 */

import type { PackedOutline, PackedThread } from '../codec/block-head.js';
import type { SwitchColumns } from '../model/sample-table.js';
import type { Mapping, Selection, ThreadName, TraceRecord } from '../model/trace/trace-chunk.js';
import { type Bounds, idleCpu, type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { partOf } from './blocks.js';
import type { EventMemory } from './event-memory.js';
import type { GapRecord } from './records/gap-records.js';
import { type Lifetime, lifetimesOf, type SwitchTimes, type ThreadSwitchColumns } from './records/switch-log.js';
import type { ThreadNames } from './records/thread-names.js';
import { eventsOf, type StoreContents, type ThreadPart, type ThreadSource } from './store-contents.js';

/** Processes and names of threads that samples tell; the store's own have priority. */
export interface SampledThreads {
  readonly pids: ReadonlyMap<Tid, number>;
  readonly comms: ReadonlyMap<Tid, string>;
}

const NOT_SAMPLED: SampledThreads = { pids: new Map(), comms: new Map() };

export class StoredThreads {
  /** The selected threads, by tid. */
  readonly tids: readonly Tid[];
  /** Events outside the selected threads and CPUs. */
  readonly unwanted: number;
  /** Bounds of the times of all threads, selected or not; with records if branches could not be decoded. */
  readonly bounds: Bounds;
  /** Likewise, of branches only; infinite if there is none. */
  readonly branchBounds: Bounds;
  /** Some thread has a record of a context switch. */
  readonly hasSwitches: boolean;
  readonly names: Pick<ThreadNames, 'pidOf' | 'commOf' | 'hasPids' | 'hasComms'>;
  readonly memory: Pick<EventMemory, 'shared'>;
  readonly undecoded: Undecoded;
  /** Threads ran, even if there is no branch of any. */
  readonly hasThreads: boolean;

  constructor(private readonly contents: StoreContents) {
    const { names, memory, switches, hasBranches, threads, unwanted, bounds } = contents;
    this.names = names;
    this.memory = memory;
    this.hasSwitches = switches.tids.length > 0;
    this.undecoded = new Undecoded(contents);
    const unseen = this.undecoded.unseenTids();
    const all = [...threads.keys(), ...unseen].sort((a, b) => a - b);
    this.hasThreads = hasBranches || unseen.length > 0;
    this.branchBounds = bounds;
    this.bounds = this.undecoded.boundsWith(all);
    const isSelectedThread = this.threadFilter();
    this.tids = all.filter(isSelectedThread);
    const others = all.filter((tid) => !isSelectedThread(tid));
    this.unwanted = others.reduce((sum, tid) => sum + this.eventCount(tid), unwanted);
  }

  /** Returns all records, names and mappings in an order that does not depend on the inputs. */
  allRecords(): { readonly records: TraceRecord[]; readonly names: ThreadName[]; readonly mappings: Mapping[] } {
    const { switches } = this.contents;
    const rare = [...this.contents.records.values()].flatMap((records) => [...records.values()]);
    const records = [...rare, ...switches.tids.flatMap((tid) => switches.recordsOf(tid))].sort(compareRecords);
    return { records, names: this.contents.names.all(), mappings: this.contents.mappings.all() };
  }

  /** Returns the times at which threads with records, selected or not, were forked and exited; null: not recorded. */
  lifetimes(): Map<Tid, Lifetime> {
    return lifetimesOf(this.contents.records, this.contents.switches.tids);
  }

  /** Returns the context switches of all threads, selected or not. */
  switches(): SwitchColumns {
    return this.contents.switches.all();
  }

  eventCount(tid: Tid): number {
    return this.contents.threads.get(tid)?.events ?? 0;
  }

  /** The same threads, but of what is outside of this time, only what matters in it. */
  within(span: Bounds): Pick<StoredThreads, 'eventCount' | 'threadSource' | 'outlineOf'> {
    return {
      outlineOf: () => null,
      eventCount: (tid) => {
        const part = this.partOf(tid, span);
        return part === null ? this.eventCount(tid) : part.events;
      },
      threadSource: (tid) => {
        const source = this.threadSource(tid);
        const part = this.partOf(tid, span);
        if (source.packed === null || part === null || source.unownedGaps.length > 0) return source;
        return { ...source, packed: { ...source.packed, part }, events: part.events };
      },
    };
  }

  /** Returns where everything about a thread is stored, for this thread or a worker. */
  threadSource(tid: Tid): ThreadSource {
    const thread = this.contents.threads.get(tid);
    const lanes = [...(thread?.lanes.values() ?? [])];
    const packed = thread?.packed ? this.selectedLanes(thread.packed) : null;
    const records = [...(this.contents.records.get(tid)?.values() ?? [])];
    const idleOn = idleCpu(tid, this.names.commOf(tid));
    const switches = this.withinRecording(this.switchesOf(tid, idleOn));
    const unownedGaps = this.contents.unownedGaps.on(packed?.cpus ?? lanes.map(([first]) => first.cpu));
    const events = packed ? eventsOf(packed.thread.lanes) : this.eventCount(tid);
    return {
      ...{ tid, isIdleTask: idleOn !== null, events, lanes, packed, around: null, records, switches, unownedGaps },
      recordingStartNs: this.bounds.startNs,
    };
  }

  /** Those of idle tasks are recorded as of thread 0, on each CPU. `idleOn`: the CPU whose idle task it is, or null. */
  private switchesOf(tid: Tid, idleOn: number | null): SwitchTimes {
    return idleOn === null ? this.contents.switches.of(tid) : onCpu(this.contents.switches.of(0), idleOn);
  }

  /** Returns which threads are selected on which CPUs, even if they have no branches. */
  selector(sampled: SampledThreads): (tid: Tid, cpu: number) => boolean {
    const isSelectedThread = this.threadFilter(sampled);
    return (tid, cpu) => isSelected(this.contents.selection, tid, cpu) && isSelectedThread(tid);
  }

  /** Returns what may be mapped in the processes that have branches. */
  threadMappings(): Mapping[] {
    const pids = new Set<number>();
    for (const tid of this.contents.threads.keys()) {
      const pid = this.names.pidOf(tid);
      if (pid === null) return this.contents.mappings.within(null);
      pids.add(pid);
    }
    return this.contents.mappings.within(pids);
  }

  private selectedLanes(thread: PackedThread): NonNullable<ThreadSource['packed']> {
    const cpus = thread.lanes
      .map(({ cpu }) => cpu)
      .filter((cpu) => isSelected(this.contents.selection, thread.tid, cpu));
    return { thread, cpus, part: null };
  }

  /** Returns null if all of a thread is needed. */
  private partOf(tid: Tid, span: Bounds): ThreadPart | null {
    const packed = this.contents.threads.get(tid)?.packed ?? null;
    const outline = this.outlineOf(tid);
    return packed && outline && partOf(packed, span, outline);
  }

  /** Returns what matters of each block of a thread in a trace file; null: it has no outline, or only some CPUs are selected. */
  outlineOf(tid: Tid): PackedOutline | null {
    return this.contents.selection.cpus ? null : (this.contents.threads.get(tid)?.outline ?? null);
  }

  /** Moves switches outside the recording (a garbled time or a late record) to its start or end. */
  private withinRecording({ length, timeNs, kind }: SwitchTimes): SwitchTimes {
    const { startNs, endNs } = this.bounds;
    return { length, kind, timeNs: timeNs.map((ns) => Math.min(Math.max(ns, startNs), endNs)) };
  }

  private threadFilter(sampled: SampledThreads = NOT_SAMPLED): (tid: Tid) => boolean {
    const { selection, names } = this.contents;
    const { pids } = selection;
    const pidOf = (tid: Tid) => this.names.pidOf(tid) ?? sampled.pids.get(tid) ?? NONE;
    const isNamed = names.selector(selection, sampled.comms);
    return (tid) => (!pids || pids.includes(pidOf(tid))) && isNamed(tid);
  }
}

function onCpu(switches: ThreadSwitchColumns, cpu: number): SwitchTimes {
  const isOnCpu = (_: number, row: number) => switches.cpu[row] === cpu;
  const kind = switches.kind.filter(isOnCpu);
  return { length: kind.length, timeNs: switches.timeNs.filter(isOnCpu), kind };
}

/** Returns whether a thread on a CPU is selected by number. */
export function isSelected({ tids, cpus }: Selection, tid: Tid, cpu: number): boolean {
  return !(tids && !tids.includes(tid)) && !(cpus && !cpus.includes(cpu));
}

const CONTENT = ['what', 'cpu', 'direction', 'pid', 'parentPid', 'code', 'ip', 'message'];

function compareRecords(a: TraceRecord, b: TraceRecord): number {
  const byTime = a.timeNs === b.timeNs ? 0 : a.timeNs < b.timeNs ? -1 : 1;
  return a.tid - b.tid || byTime || (JSON.stringify(a, CONTENT) < JSON.stringify(b, CONTENT) ? -1 : 1);
}

/**
 * What perf could not decode, according to records: threads and times without branches, files whose code it lacked.
 */
type ErrorLocation = Pick<GapRecord, 'pid' | 'ip' | 'timeNs'>;

class Undecoded {
  private withoutCode: ReadonlySet<string | null> | null = null;

  constructor(private readonly contents: StoreContents) {}

  /** perf failed to decode some or all of the trace. False if CPUs are selected: what happened elsewhere is unknown. */
  get isIncomplete(): boolean {
    const { isTimed, hasErrors, hasBranches, selection } = this.contents;
    return isTimed && (hasErrors || !hasBranches) && selection.cpus === undefined;
  }

  /** Returns threads of traced processes that have switches or errors, but no branch. */
  unseenTids(): Tid[] {
    if (!this.isIncomplete) return [];
    const { threads, records, switches, selection } = this.contents;
    const pids = this.tracedPids();
    const isWanted = (tid: Tid) => tid > 0 && !threads.has(tid) && !(selection.tids && !selection.tids.includes(tid));
    const hasErrors = (tid: Tid) =>
      [...(records.get(tid)?.values() ?? [])].some((record) => isDecodeError(record) && record.pid > 0);
    const isTraced = (tid: Tid) => pids.has(this.contents.names.pidOf(tid));
    const unseen = [...[...records.keys()].filter(hasErrors), ...switches.tids.filter(isTraced)];
    return [...new Set(unseen)].filter(isWanted);
  }

  /** Returns the processes with a branch, with an error in their trace, or whose trace began (ITRACE_START). */
  private tracedPids(): ReadonlySet<number | null> {
    const pids = new Set([...this.contents.threads.keys()].map((tid) => this.contents.names.pidOf(tid)));
    for (const records of this.contents.records.values())
      for (const record of records.values())
        if ((isDecodeError(record) || record.what === 'traced') && record.pid > 0) pids.add(record.pid);
    pids.delete(null);
    return pids;
  }

  /** Returns the bounds of the recording, extended to records if branches could not be decoded. */
  boundsWith(tids: readonly Tid[]): Bounds {
    let { startNs, endNs } = this.contents.bounds;
    if (!this.isIncomplete) return { startNs, endNs };
    const extendTo = (timeNs: Nanoseconds) => {
      if (!Number.isFinite(timeNs)) return;
      startNs = Math.min(startNs, timeNs);
      endNs = Math.max(endNs, timeNs);
    };
    for (const tid of tids) {
      this.contents.switches.of(tid).timeNs.forEach(extendTo);
      for (const { what, timeNs } of this.contents.records.get(tid)?.values() ?? [])
        if (what === 'gap') extendTo(timeNs);
    }
    return { startNs, endNs };
  }

  /** Files whose code perf lacked or found to differ; null stands for such code in an unknown file. */
  get filesWithoutCode(): ReadonlySet<string | null> {
    this.withoutCode ??= new Set(
      [...this.contents.records.values()]
        .flatMap((records) => [...records.values()])
        .filter((record) => record.what === 'gap' && CODE_ERRORS.includes(record.code))
        .filter((record) => !this.contents.isExplained(record as GapRecord))
        .map((record) => this.fileOf(record.tid, record as GapRecord)),
    );
    return this.withoutCode;
  }

  /** Returns the file mapped at an address of a thread; null if unknown. */
  fileOf(tid: Tid, { pid, ip, timeNs }: ErrorLocation): string | null {
    const { mappings, names } = this.contents;
    return mappings.fileAt(pid === NONE ? (names.pidOf(tid) ?? NONE) : pid, ip, timeNs);
  }

  /** Likewise, but only if perf lacked code of that file somewhere; otherwise being there last explains nothing. */
  fileWithoutCode(tid: Tid, at: ErrorLocation): string | null {
    const file = this.isIncomplete ? this.fileOf(tid, at) : null;
    return file !== null && this.filesWithoutCode.has(file) ? file : null;
  }

  /** perf lacked some code: time that it skipped without an error is lost for that reason. */
  get lacksCode(): boolean {
    return this.isIncomplete && this.filesWithoutCode.size > 0;
  }
}

/** perf's errors for an overflow packet and for lost trace data: nothing was recorded that could be decoded. */
const NOT_RECORDED_CODES: readonly number[] = [7, 8];

export function isDecodeError(record: TraceRecord): record is GapRecord {
  return record.what === 'gap' && !NOT_RECORDED_CODES.includes(record.code);
}

/** perf's errors for missing code, and for code that does not match the trace. */
const CODE_ERRORS: readonly number[] = [5, 6];
