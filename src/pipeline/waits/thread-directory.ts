/**
 * Names all threads that occur in a trace or in its samples, traced or not.
 */
import { numbersOf, type SampleTable, tableOf, textsOf } from '../../model/samples/sample-table.js';
import type { Tid } from '../../model/units.js';
import type { Trace } from '../read/trace.js';

export interface KnownThread {
  readonly tid: Tid;
  readonly pid: number | null;
  /** Its last name. */
  readonly comm: string | null;
  /** Its switches were recorded, and it is selected: its waits are known. Others are known as wakers only. */
  readonly isRecorded: boolean;
}

export class ThreadDirectory {
  private readonly trace: Trace;
  private readonly recorded: ReadonlySet<Tid>;
  private readonly pids: ReadonlyMap<Tid, number>;
  private readonly comms: ReadonlyMap<Tid, string>;

  constructor(trace: Trace) {
    this.trace = trace;
    this.recorded = recordedThreads(trace);
    this.pids = sampledPids(trace.samples);
    this.comms = sampledNames(trace.samples);
  }

  of(tid: Tid): KnownThread {
    const { names } = this.trace.store;
    return {
      tid,
      pid: names.pidOf(tid) ?? this.pids.get(tid) ?? null,
      comm: names.commOf(tid) ?? this.comms.get(tid) ?? null,
      isRecorded: this.recorded.has(tid),
    };
  }
}

/** A recording without branches selects nothing: its threads are those with switch records. */
function recordedThreads({ store }: Trace): Set<Tid> {
  return new Set(store.tids.length > 0 ? store.tids : store.switches().tid);
}

function sampledPids(samples: readonly SampleTable[]): Map<Tid, number> {
  const pids = new Map<Tid, number>();
  for (const { tid, pid } of samples)
    tid.forEach((each, row) => {
      if (pid[row] >= 0) pids.set(each, pid[row]);
    });
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
    for (const [row, tid] of tids.entries()) names.set(tid, comms[row]);
  }
  return names;
}
