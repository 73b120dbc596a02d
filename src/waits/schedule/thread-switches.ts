/**
 * Lists the switches of each thread by time, from switch records and from samples of `sched:sched_switch`.
 */
import {
  numbersOf,
  type SampleTable,
  type SwitchColumns,
  SwitchKind,
  tableOf,
  textsOf,
} from '../../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { atPlaces, type Groups, groupOf, groupPlaces } from '../input/group-rows.js';
import { sampleRows } from '../input/sample-rows.js';

/** What became of the thread; `Dead` is known from samples alone. */
export const Became = { Running: 0, Blocked: 1, Preempted: 2, Dead: 3 } as const;
export type Became = (typeof Became)[keyof typeof Became];

/** Which of the two noted it; most switches are noted by both. */
export const NotedBy = { Record: 0, Sample: 1 } as const;
export type NotedBy = (typeof NotedBy)[keyof typeof NotedBy];

export type SwitchVisitor = (timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy) => void;

const SCHED_SWITCH = 'sched:sched_switch';

export class ThreadSwitches {
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
