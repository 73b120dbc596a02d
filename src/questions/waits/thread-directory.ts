/**
 * Names all threads that occur in a trace or in its samples, traced or not.
 */
import { numbersOf, type SampleTable, tableOf, textsOf } from '../../model/sample-table.js';
import type { Tid } from '../../model/units.js';
import type { Trace } from '../../pipeline/read/trace.js';
import { KeyNumbers } from '../../waits/input/group-rows.js';

export interface KnownThread {
  readonly tid: Tid;
  readonly pid: number | null;
  /** Its last name. */
  readonly comm: string | null;
  /** It has branches or, if no thread has, switches: its waits are known. Others are known as wakers only. */
  readonly isRecorded: boolean;
  /** It is recorded, and its waits are shown. */
  readonly isSelected: boolean;
}

export class ThreadDirectory {
  private readonly recorded: ReadonlySet<Tid>;
  private readonly selected: ReadonlySet<Tid>;
  /** Names that samples show, for threads that no record names. */
  readonly pids: ReadonlyMap<Tid, number>;
  readonly comms: ReadonlyMap<Tid, string>;

  constructor(private readonly trace: Trace) {
    this.pids = sampledPids(trace.samples);
    this.comms = sampledNames(trace.samples);
    const { store, samples } = trace;
    const hasBranches = store.tids.length > 0;
    this.recorded = hasBranches ? new Set(store.tids) : threadsThatSwitched(store, samples);
    this.selected = hasBranches ? this.recorded : threadsThatSwitched(store, samples, store.selector(this));
  }

  /** Threads were recorded, but none of them is selected. */
  get isSelectionEmpty(): boolean {
    return this.recorded.size > 0 && this.selected.size === 0;
  }

  of(tid: Tid): KnownThread {
    const { names } = this.trace.store;
    return {
      tid,
      pid: names.pidOf(tid) ?? this.pids.get(tid) ?? null,
      comm: names.commOf(tid) ?? this.comms.get(tid) ?? null,
      isRecorded: this.recorded.has(tid),
      isSelected: this.selected.has(tid),
    };
  }
}

/** Returns the threads that switch records, or samples of their own, show to have switched on CPUs of a selection. */
function threadsThatSwitched(
  store: Trace['store'],
  samples: readonly SampleTable[],
  isSelected: (tid: Tid, cpu: number) => boolean = () => true,
): Set<Tid> {
  const found = new Set<Tid>();
  for (const { tid, cpu } of [store.switches(), tableOf(samples, 'sched:sched_switch')].filter((each) => each !== null))
    for (const [row, each] of tid.entries()) if (each > 0 && isSelected(each, cpu[row])) found.add(each);
  return found;
}

function sampledPids(samples: readonly SampleTable[]): Map<Tid, number> {
  const pids = new Map<Tid, number>();
  for (const { tid, pid } of samples)
    eachChange(
      tid,
      (row) => pid[row],
      (each, own) => own >= 0 && pids.set(each, own),
    );
  return pids;
}

/** Events with the name of a thread, and its tid. */
const NAMING = [
  ['sched:sched_waking', 'pid', 'comm'],
  ['sched:sched_switch', 'prev_pid', 'prev_comm'],
  ['sched:sched_switch', 'next_pid', 'next_comm'],
] as const;

function sampledNames(samples: readonly SampleTable[]): Map<Tid, string> {
  const names = new Map<Tid, string>();
  for (const [event, tidField, nameField] of NAMING) {
    const table = tableOf(samples, event);
    const tids = table && numbersOf(table, tidField);
    const comms = table && textsOf(table, nameField);
    if (tids === null || comms === null) continue;
    eachChange(
      tids,
      (row) => comms[row],
      (tid, name) => names.set(tid, name),
    );
  }
  return names;
}

/** Calls back for each row whose thread has another value than in its row before: few of millions. */
function eachChange<Value>(
  tids: Int32Array | Float64Array,
  readRow: (row: number) => Value,
  changed: (tid: Tid, value: Value) => void,
): void {
  const threads = new KeyNumbers(tids);
  const last: Value[] = [];
  for (let row = 0; row < tids.length; row++) {
    const thread = threads.add(tids[row]);
    const value = readRow(row);
    if (last[thread] === value) continue;
    last[thread] = value;
    changed(tids[row], value);
  }
}
