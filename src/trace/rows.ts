/**
 * The rows of a thread: its events in order, with its records among them. They are read in one go, and where events can be
 * read again, from any page on.
 */
import { SwitchKind } from '../model/sample-table.js';
import { BranchKind, type RecordKind, recordSite, TraceEdge } from '../model/trace/branch-sites.js';
import { copyEvents, type EventSpace, type RowSpace, ThreadEvents } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE, type SiteId, type Tid } from '../model/units.js';
import type { SiteEdges, Slices, ThreadSlice } from './lanes/lane.js';
import type { RareRecord, SwitchTimes } from './records/switch-log.js';

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

/** Where a row is. `place`: of the slice with the next event; null: there is none, or it cannot be read again. */
interface Mark {
  readonly place: unknown;
  readonly at: number;
}

/** Reads the events of one lane, as they are. */
export class EventReader {
  protected slice = NO_EVENTS;
  /** The index of the next event. */
  protected at = 0;
  private following: Iterator<ThreadSlice>;

  constructor(private readonly slices: Slices) {
    this.following = slices.from();
    this.nextSlice();
  }

  get isDone(): boolean {
    return this.slice === NO_EVENTS;
  }

  /** Returns where the next row is. */
  mark(): Mark {
    return { place: this.slice.place, at: this.at };
  }

  /** Goes to a row that was marked. */
  goTo({ place, at }: Mark): void {
    this.following = place === null ? NOTHING : this.slices.from(place);
    this.nextSlice();
    this.at = at;
  }

  /** Writes the next rows, at most `most`, and returns how many there were. null: passes them. */
  read(into: RowSpace | null, most: number): number {
    if (!this.slices.isValid() && this.slice.place !== null) this.goTo(this.mark());
    let row = 0;
    while (row < most && !this.isDone) row += this.readSome(into, row, most);
    return row;
  }

  /** Writes some of the next rows, at least one, from a row of the space on. */
  protected readSome(into: RowSpace | null, row: number, most: number): number {
    return this.copy(into, row, Math.min(this.slice.length, this.at + most - row));
  }

  /** Copies the events up to an index of the slice. */
  protected copy(into: RowSpace | null, row: number, end: number): number {
    const { slice, at } = this;
    const length = end - at;
    if (into !== null) {
      const { site, siteAt, timeNs, timeAt } = slice;
      copyEvents(
        { site, siteAt: siteAt + at, timeNs, timeAt: timeAt + at, length },
        { ...into, siteAt: into.siteAt + row, timeAt: into.timeAt + row },
      );
    }
    this.passTo(end);
    return length;
  }

  protected passTo(at: number): void {
    this.at = at;
    if (at === this.slice.length) this.nextSlice();
  }

  private nextSlice(): void {
    this.at = 0;
    do {
      const { value, done } = this.following.next();
      this.slice = done ? NO_EVENTS : value;
    } while (this.slice !== NO_EVENTS && this.slice.length === 0);
  }
}

interface RowMark extends Mark {
  /** null: of the event before. */
  readonly lastNs: Nanoseconds | null;
  readonly record: number;
}

/**
 * Reads all rows of a thread. Among events of the same time, a record goes before the first trace start, because it is
 * what led to the start. A record from before the recording, such as an error with a garbled time, goes to its beginning.
 */
export class RowReader extends EventReader {
  /** Number of times that stepped back and were set to the previous time. */
  clockSteps = 0;
  /** Of the last event; null: it is the one before in the slice, whose times may not be read yet. */
  private knownNs: Nanoseconds | null = Number.NEGATIVE_INFINITY;
  /** The one that is inserted next. */
  private record = 0;
  /** Of the thread, once all its events were read. */
  private exitNs: Nanoseconds | null = null;

  /** `exitAfter`: the thread's exit, if no event comes after it; switches that do are left out. */
  constructor(
    slices: Slices,
    private readonly records: PlacedRecords,
    private readonly sites: SiteEdges,
    private readonly recordingStartNs: Nanoseconds,
    private readonly exitAfter: (lastNs: Nanoseconds) => Nanoseconds,
  ) {
    super(slices);
  }

  override get isDone(): boolean {
    if (this.slice !== NO_EVENTS) return false;
    this.skipAfterExit();
    return this.record === this.records.timeNs.length;
  }

  /** Of the last event. */
  get lastNs(): Nanoseconds {
    const { slice, at } = this;
    return (this.knownNs ??= slice.timeNs[slice.timeAt + at - 1]);
  }

  override mark(): RowMark {
    const { knownNs: lastNs, record } = this;
    return { ...super.mark(), lastNs, record };
  }

  override goTo(mark: RowMark): void {
    super.goTo(mark);
    this.knownNs = mark.lastNs;
    this.record = mark.record;
  }

  /** Up to the first event that is earlier than one before it or, maybe, after a record; or that one, or a record. */
  protected override readSome(into: RowSpace | null, row: number, most: number): number {
    const { slice, at, dueNs, knownNs } = this;
    const { bounds } = slice;
    const limit = Math.min(slice.length, at + most - row);
    const nextNs = () => (at === 0 && bounds ? bounds.startNs : slice.timeNs[slice.timeAt + at]);
    if (bounds && bounds.endNs < dueNs && (knownNs === null || nextNs() >= knownNs)) {
      this.knownNs = limit === slice.length ? bounds.endNs : null;
      return this.copy(into, row, limit);
    }
    const { timeNs, timeAt } = slice;
    let { lastNs } = this;
    let end = at;
    for (; end < limit && timeNs[timeAt + end] >= lastNs && timeNs[timeAt + end] < dueNs; end++)
      lastNs = timeNs[timeAt + end];
    this.knownNs = lastNs;
    return end > at ? this.copy(into, row, end) : this.readOne(into, row);
  }

  private readOne(into: RowSpace | null, row: number): number {
    const { slice, at, lastNs, dueNs } = this;
    if (slice === NO_EVENTS) return this.insert(into, row);
    const site = slice.site[slice.siteAt + at];
    const timeNs = slice.timeNs[slice.timeAt + at];
    const atNs = Math.max(timeNs, lastNs);
    if (dueNs < atNs || (dueNs === atNs && this.sites.edge[site] === TraceEdge.Begin)) return this.insert(into, row);
    if (timeNs < lastNs) this.clockSteps++;
    put(into, row, site, atNs);
    this.knownNs = atNs;
    this.passTo(at + 1);
    return 1;
  }

  private insert(into: RowSpace | null, row: number): number {
    const { records, record, lastNs, recordingStartNs } = this;
    const startNs = lastNs === Number.NEGATIVE_INFINITY ? recordingStartNs : lastNs;
    put(into, row, recordSite(records.kind[record] as RecordKind), Math.max(records.timeNs[record], startNs));
    this.record++;
    return 1;
  }

  /** The time of the next record. */
  private get dueNs(): Nanoseconds {
    return this.records.timeNs[this.record] ?? Number.POSITIVE_INFINITY;
  }

  private skipAfterExit(): void {
    const { timeNs, kind } = this.records;
    this.exitNs ??= this.exitAfter(this.lastNs);
    for (; this.record < timeNs.length && timeNs[this.record] > this.exitNs; this.record++)
      if (kind[this.record] === BranchKind.Gap || kind[this.record] === BranchKind.Exec) return;
  }
}

function put(into: RowSpace | null, row: number, site: SiteId, timeNs: Nanoseconds): void {
  if (into === null) return;
  into.site[into.siteAt + row] = site;
  into.timeNs[into.timeAt + row] = timeNs;
}

/**
 * Reads all rows into pages, as far as they fit. `areReadAgain`: a page that does not fit is read again when it is needed;
 * else it is kept in the file. New memory is slower than reading.
 */
export function pagedRows(
  tid: Tid,
  most: number,
  space: EventSpace,
  reader: EventReader,
  areReadAgain: boolean,
): ThreadEvents {
  const { pageRows } = space;
  const marks = [reader.mark()];
  /** The page that is read next. */
  let next = 0;
  let length = 0;
  const read = (page: number, into: RowSpace | null) => {
    if (page !== next) reader.goTo(marks[page]);
    const rows = reader.read(into, pageRows);
    next = page + 1;
    if (next < marks.length) return;
    marks.push(reader.mark());
    length += rows;
  };
  const events = new ThreadEvents(tid, most, space, read);
  const { pages } = events;
  for (let page = 0; !reader.isDone; page++) {
    if (!areReadAgain) pages.slotToChange(page * pageRows);
    else if (page < pages.slotCount) pages.slotAt(page * pageRows);
    else read(page, null);
  }
  events.length = length;
  return events;
}
