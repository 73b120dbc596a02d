/**
 * The rows of a thread: its events in order, with its records among them. They are read in one go, and from any row on
 * that was marked, if the events can be read again.
 */
import { SwitchKind } from '../model/sample-table.js';
import { BranchKind, type RecordKind, recordSite, TraceEdge } from '../model/trace/branch-sites.js';
import { copyEvents, type RowSpace } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import type { LanePlace, SiteEdges, ThreadSlice } from './lanes/lane.js';
import type { RareRecord, SwitchTimes } from './records/switch-log.js';

/** Where a row is, so that it can be read again. */
export interface RowMark {
  /** Of the slice with the next event, and its index there; null: there is none. */
  readonly place: LanePlace | null;
  readonly at: number;
  readonly lastNs: Nanoseconds;
  readonly record: number;
}

/** Switches, errors and execs in the order in which they are inserted: columns, because a thread may have many switches. */
export interface PlacedRecords {
  readonly timeNs: Float64Array;
  readonly kind: Uint8Array; // RecordKind
}

export function placedRecords(records: readonly RareRecord[], switches: SwitchTimes): PlacedRecords {
  const others = records.filter(({ what }) => what === 'gap' || what === 'exec');
  const timeNs = new Float64Array(switches.length + others.length);
  const kind = new Uint8Array(timeNs.length);
  timeNs.set(switches.timeNs.subarray(0, switches.length));
  for (let row = 0; row < switches.length; row++) kind[row] = KINDS[switches.kind[row] as SwitchKind];
  others.forEach((record, other) => {
    timeNs[switches.length + other] = record.timeNs;
    kind[switches.length + other] = record.what === 'gap' ? BranchKind.Gap : BranchKind.Exec;
  });
  return inOrder({ timeNs, kind });
}

const KINDS: Readonly<Record<SwitchKind, RecordKind>> = {
  [SwitchKind.In]: BranchKind.SwitchIn,
  [SwitchKind.Out]: BranchKind.SwitchOut,
  [SwitchKind.Preempted]: BranchKind.PreemptOut,
};

/** Switches alone mostly are in order. */
function inOrder(placed: PlacedRecords): PlacedRecords {
  const { timeNs, kind } = placed;
  const compare = (a: number, b: number) => timeNs[a] - timeNs[b] || kind[a] - kind[b];
  let ordered = 1;
  while (ordered < kind.length && compare(ordered - 1, ordered) <= 0) ordered++;
  if (ordered >= kind.length) return placed;
  const order = new Uint32Array(kind.length).map((_, at) => at).sort(compare);
  return { timeNs: Float64Array.from(order, (at) => timeNs[at]), kind: Uint8Array.from(order, (at) => kind[at]) };
}

const NO_EVENTS: ThreadSlice = {
  cpu: NONE,
  place: null,
  site: new Uint32Array(),
  siteAt: 0,
  timeNs: new Float64Array(),
  timeAt: 0,
  length: 0,
};

const NOTHING: Iterator<ThreadSlice> = [].values();

/** Slices that have a place share memory: that of the last reader is valid. */
let lastReader: RowReader | null = null;

/**
 * Reads rows. Among events of the same time, a record goes before the first trace start, because it is what led to the
 * start. A record from before the recording, such as an error with a garbled time, goes to its beginning.
 */
export class RowReader {
  /** Number of times that stepped back and were set to the previous time. */
  clockSteps = 0;
  /** Of the last event. */
  lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  private slices: Iterator<ThreadSlice>;
  private slice = NO_EVENTS;
  /** The index of the next event, and the record that is inserted next. */
  private at = 0;
  private record = 0;
  /** Of the thread, once all its events were read. */
  private exitNs: Nanoseconds = Number.POSITIVE_INFINITY;

  /** `slicesFrom`: from a place on, or all. `exitAfter`: the thread's exit, if that is its last event; switches after it are left out. */
  constructor(
    private readonly slicesFrom: (place?: LanePlace) => Iterator<ThreadSlice>,
    private readonly records: PlacedRecords,
    private readonly sites: SiteEdges,
    private readonly recordingStartNs: Nanoseconds,
    private readonly exitAfter: (lastNs: Nanoseconds) => Nanoseconds,
  ) {
    this.slices = slicesFrom();
    this.nextSlice();
  }

  get isDone(): boolean {
    return this.slice === NO_EVENTS && this.record === this.records.timeNs.length;
  }

  /** Returns where the next row is. */
  mark(): RowMark {
    const { slice, at, lastNs, record } = this;
    return { place: slice.place, at, lastNs, record };
  }

  /** Goes to a row that was marked. */
  goTo({ place, at, lastNs, record }: RowMark): void {
    Object.assign(this, { slices: place ? this.slicesFrom(place) : NOTHING, lastNs, record });
    this.nextSlice();
    this.at = at;
  }

  /** Writes the next rows, at most `most`, and returns how many there were. */
  read(into: RowSpace, most: number): number {
    if (lastReader !== this && this.slice.place !== null) this.goTo(this.mark());
    for (let row = 0; row < most; ) {
      const copied = this.copyOrdered(into, row, most);
      row += copied;
      if (copied > 0) continue;
      if (this.isDone) return row;
      this.readRow(into, row++);
    }
    return most;
  }

  /** Copies events up to the first one that is earlier than one before it or, maybe, after a record. Returns how many. */
  private copyOrdered(into: RowSpace, row: number, most: number): number {
    const { slice, at, dueNs } = this;
    const { site, siteAt, timeNs, timeAt } = slice;
    const limit = Math.min(slice.length, at + most - row);
    let { lastNs } = this;
    let end = at;
    for (; end < limit && timeNs[timeAt + end] >= lastNs && timeNs[timeAt + end] < dueNs; end++)
      lastNs = timeNs[timeAt + end];
    if (end === at) return 0;
    this.lastNs = lastNs;
    const from = { site, siteAt: siteAt + at, timeNs, timeAt: timeAt + at, length: end - at };
    copyEvents(from, { ...into, siteAt: into.siteAt + row, timeAt: into.timeAt + row });
    this.passTo(end);
    return end - at;
  }

  private readRow(into: RowSpace, row: number): void {
    const { slice, at, lastNs, records, record, recordingStartNs } = this;
    const timeNs = slice.timeNs[slice.timeAt + at];
    const site = slice.site[slice.siteAt + at];
    const atNs = Math.max(timeNs, lastNs);
    const isRecord =
      slice === NO_EVENTS || this.dueNs < atNs || (this.dueNs === atNs && this.sites.edge[site] === TraceEdge.Begin);
    if (isRecord) {
      into.site[into.siteAt + row] = recordSite(records.kind[record] as RecordKind);
      into.timeNs[into.timeAt + row] = Math.max(
        records.timeNs[record],
        lastNs === Number.NEGATIVE_INFINITY ? recordingStartNs : lastNs,
      );
      this.record++;
      if (slice === NO_EVENTS) this.skipAfterExit();
      return;
    }
    if (timeNs < lastNs) this.clockSteps++;
    into.site[into.siteAt + row] = site;
    into.timeNs[into.timeAt + row] = this.lastNs = atNs;
    this.passTo(at + 1);
  }

  /** The time of the next record. */
  private get dueNs(): Nanoseconds {
    return this.records.timeNs[this.record] ?? Number.POSITIVE_INFINITY;
  }

  private passTo(at: number): void {
    this.at = at;
    if (at === this.slice.length) this.nextSlice();
  }

  private nextSlice(): void {
    lastReader = this;
    this.at = 0;
    do {
      const { value, done } = this.slices.next();
      this.slice = done ? NO_EVENTS : value;
    } while (this.slice !== NO_EVENTS && this.slice.length === 0);
    if (this.slice !== NO_EVENTS) return;
    this.exitNs = this.exitAfter(this.lastNs);
    this.skipAfterExit();
  }

  /** Leaves out switches after the exit, once there are no more events. */
  private skipAfterExit(): void {
    const { timeNs, kind } = this.records;
    const { exitNs } = this;
    for (; this.record < timeNs.length && timeNs[this.record] > exitNs; this.record++)
      if (kind[this.record] === BranchKind.Gap || kind[this.record] === BranchKind.Exec) return;
  }
}
