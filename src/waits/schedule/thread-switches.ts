/**
 * Lists the switches of each thread by time, from switch records and from samples of `sched:sched_switch`.
 */
import { numbersOf, type SampleTable, tableOf, textsOf } from '../../model/samples/sample-table.js';
import { type SwitchColumns, SwitchKind } from '../../model/samples/switch-columns.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { byTime, groupRows, rowsOf } from '../input/group-rows.js';
import { sampleRows } from '../input/sample-rows.js';

/** What became of the thread; `Dead` is known from samples alone. */
export const Became = { Running: 0, Blocked: 1, Preempted: 2, Dead: 3 } as const;
export type Became = (typeof Became)[keyof typeof Became];

/** Which of the two noted it; most switches are noted by both. */
export const NotedBy = { Record: 0, Sample: 1 } as const;
export type NotedBy = (typeof NotedBy)[keyof typeof NotedBy];

export type SwitchVisitor = (timeNs: Nanoseconds, cpu: number, became: Became, notedBy: NotedBy) => void;

export class ThreadSwitches {
  readonly tids: Int32Array; // ascending, without the idle thread
  private readonly records: Source;
  private readonly samples: Source;

  constructor(switches: SwitchColumns, tables: readonly SampleTable[]) {
    this.records = sourceOfRecords(switches);
    this.samples = sourceOfSamples(tables);
    const tids = new Set([...this.records.groups.keys, ...this.samples.groups.keys].filter((tid) => tid > 0));
    this.tids = Int32Array.from(tids).sort();
  }

  /** Calls back for each switch, by time; where both noted one at the same time, for the sample first. */
  forEach(tid: Tid, visit: SwitchVisitor): void {
    const { records, samples } = this;
    const ofRecords = byTime(rowsOf(records.groups, tid), records.timeNs);
    const ofSamples = rowsOf(samples.groups, tid);
    for (let record = 0, sample = 0; record < ofRecords.length || sample < ofSamples.length; ) {
      const isRecord =
        sample === ofSamples.length ||
        (record < ofRecords.length && records.timeNs[ofRecords[record]] < samples.timeNs[ofSamples[sample]]);
      if (isRecord) visitRow(records, ofRecords[record++], NotedBy.Record, visit);
      else visitRow(samples, ofSamples[sample++], NotedBy.Sample, visit);
    }
  }
}

const SCHED_SWITCH = 'sched:sched_switch';

interface Source {
  readonly timeNs: Float64Array;
  readonly cpu: Int32Array;
  readonly became: Uint8Array;
  readonly groups: ReturnType<typeof groupRows>;
}

function visitRow({ timeNs, cpu, became }: Source, row: number, notedBy: NotedBy, visit: SwitchVisitor): void {
  visit(timeNs[row], cpu[row], became[row] as Became, notedBy);
}

function sourceOfRecords({ timeNs, tid, cpu, kind }: SwitchColumns): Source {
  const became = kind.map((direction) => {
    if (direction === SwitchKind.In) return Became.Running;
    return direction === SwitchKind.Preempted ? Became.Preempted : Became.Blocked;
  });
  return { timeNs, cpu, became, groups: groupRows(tid) };
}

/** A sample is two switches: the thread before goes (even rows), the next one comes (odd rows). */
function sourceOfSamples(tables: readonly SampleTable[]): Source {
  const { length, timeNs, tid, cpu, integers, tableRow } = sampleRows(tables, SCHED_SWITCH, ['next_pid']);
  const [next] = integers;
  const stateOf = stateReader(tableOf(tables, SCHED_SWITCH));
  const tids = new Int32Array(2 * length);
  const became = new Uint8Array(2 * length);
  for (let row = 0; row < length; row++) {
    tids[2 * row] = tid[row];
    became[2 * row] = stateOf(tableRow[row]);
    tids[2 * row + 1] = next[row]; // 0, the idle thread, if unknown
    became[2 * row + 1] = Became.Running;
  }
  const twice = (column: Float64Array | Int32Array) => (_: number, row: number) => column[row >> 1];
  return {
    timeNs: new Float64Array(2 * length).map(twice(timeNs)),
    cpu: new Int32Array(2 * length).map(twice(cpu)),
    became,
    groups: groupRows(tids),
  };
}

/**
 * What `prev_state` says: letters as perf prints them, or the kernel's bits (include/linux/sched.h, TASK_REPORT). A
 * thread that is still runnable has no bit among the lowest eight, was preempted, and is printed as R or R+.
 */
function stateReader(table: SampleTable | null): (row: number) => Became {
  if (table === null) return () => Became.Blocked;
  const letters = textsOf(table, 'prev_state');
  const bits = numbersOf(table, 'prev_state');
  if (letters) return (row) => stateOfLetters(letters[row]);
  if (bits) return (row) => stateOfBits(bits[row]);
  return () => Became.Blocked;
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
