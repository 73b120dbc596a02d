/**
 * When each thread was off the CPU, and why it left: blocked, preempted, or unknown. In between it ran.
 */
import { countBelow, float64Column, int32Column, uint8Column } from '../model/columns.js';
import {
  endsOfSamples,
  type LostSpan,
  numbersOf,
  type SampleTable,
  type SwitchColumns,
  SwitchKind,
  tableOf,
  textsOf,
} from '../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { atPlaces, type Groups, groupOf, groupPlaces, KeyNumbers } from './input/group-rows.js';
import { sampleRows } from './input/sample-rows.js';

/** Time off the CPU: rows by thread, then by time; those of a thread do not overlap. */
export interface Schedule {
  readonly tids: Int32Array; // ascending
  /** Thread i has the rows from `starts[i]` up to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** By thread: before and after, nothing is known of it. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;

  readonly length: number;
  readonly tid: Int32Array;
  readonly outNs: Float64Array;
  readonly inNs: Float64Array;
  readonly state: Uint8Array; // OffState
  /** 1: it did not run again; `inNs` is the end of what is known. */
  readonly isOpen: Uint8Array;
}

export function scheduleOf({ switches, samples, threads, lost }: WaitInput): Schedule {
  const events = new ThreadSwitches(switches, samples);
  const spans = new Map(threads.map((span) => [span.tid, span]));
  const lastNs = endOf(switches.timeNs, endsOfSamples(samples));
  const wokenNs = lost.length > 0 ? new Map<Tid, Nanoseconds>() : firstWakings(samples);
  const builder = new ScheduleBuilder();
  for (const tid of events.tids) {
    const reader = new OffReader(spans.get(tid) ?? null, wokenNs.get(tid) ?? null, builder);
    events.forEach(tid, (timeNs, cpu, became, notedBy) => reader.add(timeNs, cpu, became, notedBy));
    builder.endThread(tid, reader.end(lastNs));
    builder.countIns(reader);
  }
  return builder.build();
}

/** Returns when each thread was woken first. */
function firstWakings(samples: readonly SampleTable[]): Map<Tid, Nanoseconds> {
  const { length, timeNs, integers } = sampleRows(samples, 'sched:sched_waking', ['pid']);
  const tids = new Int32Array(integers[0]);
  const woken = new KeyNumbers(tids);
  const firstNs = new Map<Tid, Nanoseconds>();
  for (let row = 0; row < length; row++) if (woken.add(tids[row]) === firstNs.size) firstNs.set(tids[row], timeNs[row]);
  return firstNs;
}

/** Returns the first row of a thread that ends at or after a time, or the end of its rows. */
export function rowEndingFrom({ starts, inNs }: Schedule, thread: number, timeNs: Nanoseconds): number {
  return countBelow(inNs, timeNs, starts[thread], starts[thread + 1]);
}

/** Returns a thread's place in `tids`; NONE: nothing is known of it. */
export function threadOf({ tids }: Schedule, tid: Tid): number {
  return groupOf(tids, tid);
}

class ScheduleBuilder implements OffSink {
  private notedIns = 0;
  private missingIns = 0;
  private readonly tids = int32Column();
  private readonly starts = [0];
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly outNs = float64Column();
  private readonly inNs = float64Column();
  private readonly state = uint8Column();
  private readonly isOpen = uint8Column();

  addOff(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState, isOpen: boolean): void {
    this.outNs.push(outNs);
    this.inNs.push(inNs);
    this.state.push(state);
    this.isOpen.push(isOpen ? 1 : 0);
  }

  endThread(tid: Tid, span: Pick<ThreadSpan, 'startNs' | 'endNs'>): void {
    this.tids.push(tid);
    this.starts.push(this.outNs.length);
    this.startNs.push(span.startNs);
    this.endNs.push(span.endNs);
  }

  countIns({ notedIns, missingIns }: Pick<OffReader, 'notedIns' | 'missingIns'>): void {
    this.notedIns += notedIns;
    this.missingIns += missingIns;
  }

  build(): Schedule {
    if (this.missingIns > this.notedIns) this.doubtOpenRows();
    const { tids, starts, startNs, endNs, outNs, inNs, state, isOpen } = this;
    const tid = new Int32Array(outNs.length);
    tids.view().forEach((own, thread) => {
      tid.fill(own, starts[thread], starts[thread + 1]);
    });
    return {
      tids: tids.view(),
      starts: Uint32Array.from(starts),
      startNs: startNs.view(),
      endNs: endNs.view(),
      length: tid.length,
      tid,
      outNs: outNs.view(),
      inNs: inNs.view(),
      state: state.view(),
      isOpen: isOpen.view(),
    };
  }

  /** Where switches in are mostly not recorded, as in samples of `sched_switch` of one process, a thread may have run since. */
  private doubtOpenRows(): void {
    const [states, isOpen] = [this.state.view(), this.isOpen.view()];
    for (let row = 0; row < states.length; row++) if (isOpen[row]) states[row] = OffState.Unknown;
  }
}

function endOf(...columns: readonly ArrayLike<number>[]): Nanoseconds {
  let end = Number.NEGATIVE_INFINITY;
  for (const times of columns) for (let row = 0; row < times.length; row++) if (times[row] > end) end = times[row];
  return end;
}

/** Receives times off the CPU; there are millions, so they are not objects. */
interface OffSink {
  addOff(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState, isOpen: boolean): void;
}

/** Two notes of one switch are this close: the kernel writes them in one go, but a virtual CPU may be halted. */
const MAX_NOTE_DISTANCE_NS = 1_000_000;

/** A switch that counted, and when each means noted it; NaN: not yet. */
class Note {
  timeNs = Number.NaN;
  cpu = 0;
  became: Became = Became.Running;
  recordNs = Number.NaN;
  sampleNs = Number.NaN;

  set(timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy): void {
    this.timeNs = timeNs;
    this.cpu = cpu;
    this.became = became;
    this.recordNs = notedBy === NotedBy.Record ? timeNs : Number.NaN;
    this.sampleNs = notedBy === NotedBy.Sample ? timeNs : Number.NaN;
  }

  get exists(): boolean {
    return !Number.isNaN(this.timeNs);
  }

  get isRunning(): boolean {
    return this.became === Became.Running;
  }

  isNotedAgain(timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy): boolean {
    if (!this.exists || this.isRunning !== (became === Became.Running) || isOther(this.cpu, cpu)) return false;
    const notedNs = notedBy === NotedBy.Sample ? this.sampleNs : this.recordNs;
    if (!Number.isNaN(notedNs)) return timeNs === notedNs; // the same recording, read twice
    return timeNs - this.timeNs <= MAX_NOTE_DISTANCE_NS;
  }

  /** The sample knows the thread's state better. */
  merge(timeNs: Nanoseconds, became: Became, notedBy: NotedBy): void {
    if (notedBy === NotedBy.Record) this.recordNs = timeNs;
    else {
      this.became = became;
      this.sampleNs = timeNs;
    }
  }
}

/**
 * Turns the switches of one thread into its times off the CPU. This is done millions of times, so switches are numbers, not
 * objects.
 *
 * A switch is noted twice, microseconds apart: by `sched:sched_switch`, then by a switch record. The first one counts. The
 * same one noted again by the same means is another switch, so what came between is missing: time unknown.
 */
class OffReader {
  /** The last switch in, and the last one out; one of them is the last. */
  private readonly ins = new Note();
  private readonly outs = new Note();
  private last: Note | null = null;
  private startNs: Nanoseconds | null = null;
  /** How many switches in were noted, and how many must have been between two switches out. */
  notedIns = 0;
  missingIns = 0;

  /** `wokenNs`: when it was woken first; null: not known, or samples were lost. */
  constructor(
    private readonly span: ThreadSpan | null,
    private readonly wokenNs: Nanoseconds | null,
    private readonly into: OffSink,
  ) {}

  add(timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy): void {
    const { last, ins, outs } = this;
    const isIn = became === Became.Running;
    if (last === null) this.begin(timeNs, isIn);
    else if (last.isNotedAgain(timeNs, cpu, became, notedBy)) return last.merge(timeNs, became, notedBy);
    // A record of the switch out that comes when the thread runs on another CPU, whose clock is behind.
    else if (last === ins && isOther(ins.cpu, cpu) && outs.isNotedAgain(timeNs, cpu, became, notedBy)) return;
    else if (isIn && last === outs) this.emit(last.timeNs, timeNs, stateOf(last.became));
    else if (isIn === (last === ins)) this.emit(last.timeNs, timeNs, OffState.Unknown);
    if (isIn) this.notedIns++;
    else if (last === outs) this.missingIns++;
    this.last = isIn ? ins : outs;
    this.last.set(timeNs, cpu, became, notedBy);
  }

  /** `lastNs`: the end of the recording. Returns the time in which the thread is known. */
  end(lastNs: Nanoseconds): { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } {
    const { last, span } = this;
    const startNs = this.startNs ?? 0;
    if (last === null) return { startNs, endNs: startNs };
    if (last.became === Became.Dead) return { startNs, endNs: last.timeNs };
    const endNs = Math.max(last.timeNs, span?.endNs ?? (last.isRunning ? last.timeNs : lastNs));
    if (!last.isRunning && endNs > last.timeNs) {
      this.into.addOff(last.timeNs, endNs, stateOf(last.became), true);
    }
    return { startNs, endNs };
  }

  private begin(timeNs: Nanoseconds, isIn: boolean): void {
    this.startNs = Math.min(this.span?.startNs ?? timeNs, timeNs);
    if (!isIn) return;
    // Only blocked threads are woken: it was one since the recording began.
    const isWoken = this.wokenNs !== null && this.wokenNs > this.startNs && this.wokenNs <= timeNs;
    this.emit(this.startNs, timeNs, isWoken ? OffState.Blocked : OffState.Unknown);
  }

  private emit(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState): void {
    if (inNs > outNs) this.into.addOff(outNs, inNs, state, false);
  }
}

/** perf may leave the CPU out of the records of a process, though not out of its samples. */
function isOther(one: number, other: number): boolean {
  return one !== other && one !== NONE && other !== NONE;
}

function stateOf(became: Became): OffState {
  if (became === Became.Blocked) return OffState.Blocked;
  return became === Became.Preempted ? OffState.Preempted : OffState.Unknown;
}

/** What became of the thread; `Dead` is known from samples alone. */
const Became = { Running: 0, Blocked: 1, Preempted: 2, Dead: 3 } as const;
type Became = (typeof Became)[keyof typeof Became];

/** Which of the two noted it; most switches are noted by both. */
const NotedBy = { Record: 0, Sample: 1 } as const;
type NotedBy = (typeof NotedBy)[keyof typeof NotedBy];

type SwitchVisitor = (timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy) => void;

const SCHED_SWITCH = 'sched:sched_switch';

/** The switches of each thread by time, from switch records and from samples of `sched:sched_switch`. */
class ThreadSwitches {
  readonly tids: Int32Array; // ascending, without the idle thread
  private readonly records: Source;
  private readonly samples: Source;

  constructor(switches: SwitchColumns, tables: readonly SampleTable[]) {
    this.records = sourceOfRecords(switches);
    this.samples = sourceOfSamples(tables);
    const tids = new Set([...this.records.keys, ...this.samples.keys].filter((tid) => tid > 0));
    this.tids = Int32Array.from(tids).sort();
  }

  /** Calls back for each switch, by time; where both noted one at the same time, for the sample first. */
  forEach(tid: Tid, visit: SwitchVisitor): void {
    const { records, samples } = this;
    let [record, recordEnd] = rangeOf(records, tid);
    let [sample, sampleEnd] = rangeOf(samples, tid);
    while (record < recordEnd || sample < sampleEnd) {
      const isRecord = sample === sampleEnd || (record < recordEnd && records.timeNs[record] < samples.timeNs[sample]);
      if (isRecord) visitRow(records, record++, NotedBy.Record, visit);
      else visitRow(samples, sample++, NotedBy.Sample, visit);
    }
  }
}

/** Rows by thread, then by time. */
interface Source extends Pick<Groups, 'keys' | 'starts'> {
  readonly timeNs: Float64Array;
  readonly cpu: Int32Array;
  readonly became: Uint8Array;
}

function rangeOf({ keys, starts }: Source, tid: Tid): [from: number, to: number] {
  const group = groupOf(keys, tid);
  return group === NONE ? [0, 0] : [starts[group], starts[group + 1]];
}

function visitRow({ timeNs, cpu, became }: Source, row: number, notedBy: NotedBy, visit: SwitchVisitor): void {
  visit(timeNs[row], cpu[row], became[row] as Became, notedBy);
}

function sourceOfRecords({ timeNs, tid, cpu, kind }: SwitchColumns): Source {
  const { places, ...groups } = groupPlaces(tid);
  const became = new Uint8Array(kind.length);
  for (let row = 0; row < kind.length; row++) became[places[row]] = BECAME[kind[row] as SwitchKind];
  return { ...groups, timeNs: atPlaces(timeNs, places), cpu: atPlaces(cpu, places), became };
}

const BECAME: Readonly<Record<SwitchKind, Became>> = {
  [SwitchKind.In]: Became.Running,
  [SwitchKind.Out]: Became.Blocked,
  [SwitchKind.Preempted]: Became.Preempted,
};

/** A sample is two switches: the thread before goes (even rows), the next one comes (odd rows). */
function sourceOfSamples(tables: readonly SampleTable[]): Source {
  const { length, timeNs, tid, cpu, integers, tableRow } = sampleRows(tables, SCHED_SWITCH, ['next_pid']);
  const [next] = integers;
  const stateOf = stateReader(tableOf(tables, SCHED_SWITCH));
  const tids = new Int32Array(2 * length);
  for (let row = 0; row < length; row++) {
    tids[2 * row] = tid[row];
    tids[2 * row + 1] = next[row]; // 0, the idle thread, if unknown
  }
  const { places, ...groups } = groupPlaces(tids);
  const placed = {
    timeNs: new Float64Array(2 * length),
    cpu: new Int32Array(2 * length),
    became: new Uint8Array(2 * length),
  };
  for (let row = 0; row < 2 * length; row++) {
    const place = places[row];
    const sample = row >> 1;
    placed.timeNs[place] = timeNs[sample];
    placed.cpu[place] = cpu[sample];
    placed.became[place] = row % 2 === 0 ? stateOf(tableRow[sample]) : Became.Running;
  }
  return { ...groups, ...placed };
}

/**
 * What `prev_state` says: letters as perf prints them, or the kernel's bits (include/linux/sched.h, TASK_REPORT). A
 * thread that is still runnable has no bit among the lowest eight, was preempted, and is printed as R or R+.
 */
function stateReader(table: SampleTable | null): (row: number) => Became {
  if (table === null) return () => Became.Blocked;
  const letters = textsOf(table, 'prev_state');
  const bits = numbersOf(table, 'prev_state');
  const known = new Map<string, Became>();
  if (letters) return (row) => memoized(known, letters[row], stateOfLetters);
  if (bits) return (row) => stateOfBits(bits[row]);
  return () => Became.Blocked;
}

function memoized(known: Map<string, Became>, letters: string, read: (letters: string) => Became): Became {
  let became = known.get(letters);
  if (became === undefined) known.set(letters, (became = read(letters)));
  return became;
}

function stateOfLetters(letters: string): Became {
  if (letters.startsWith('R')) return Became.Preempted;
  return /[XZ]/.test(letters) ? Became.Dead : Became.Blocked;
}

const REPORTED = 0xff;
const DEAD_OR_ZOMBIE = 0x30;

function stateOfBits(bits: number): Became {
  if ((bits & REPORTED) === 0) return Became.Preempted;
  return bits & DEAD_OR_ZOMBIE ? Became.Dead : Became.Blocked;
}

/** Why a thread was off the CPU. `Unknown`: it may have run; switches are missing. */
export const OffState = { Blocked: 0, Preempted: 1, Unknown: 2 } as const;
export type OffState = (typeof OffState)[keyof typeof OffState];

/** When a thread is known to have existed: from its fork or its first event to its exit or the end of the recording. */
export interface ThreadSpan {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** What waits are concluded from: when threads were switched, and what the kernel noted at tracepoints and probes. */
export interface WaitInput {
  readonly switches: SwitchColumns;
  readonly samples: readonly SampleTable[];
  /** Threads not listed here are known from their switches alone. */
  readonly threads: readonly ThreadSpan[];
  readonly lost: readonly LostSpan[];
}
