/**
 * What the kernel did in calls that these did not ask for: page faults, interrupts, softirqs, preemptions and migrations.
 */
import { countBelow } from '../model/columns.js';
import { isComplete } from '../model/profile/profile.js';
import { type SampleTable, type SwitchColumns, SwitchKind, tableOf } from '../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import type { Spans } from './log/spans.js';

export const WORK_KINDS = ['page faults', 'interrupts', 'softirqs', 'preemptions', 'migrations'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** Of one call, or of several. */
export interface KernelWork {
  readonly kind: WorkKind;
  readonly count: number;
  /** NaN: it is not recorded how long it took. */
  readonly ns: Nanoseconds;
}

/** Of all complete calls of a function. */
export interface WorkInCalls {
  readonly calls: number;
  readonly work: readonly KernelWork[];
}

const PAGE_FAULTS = 'exceptions:page_fault_user';
const SWITCHES = 'sched:sched_switch';
/** Events of the beginning; those of the end have other names. */
const ENTRY = /^(irq|irq_vectors):(.+)_entry$/;

/** What happened to a thread, by time. */
interface Moments {
  readonly startNs: Float64Array;
  readonly ns: Float64Array;
}

/** By kind, then thread. */
type ByThread = ReadonlyMap<Tid, Moments>;

export class KernelWorkIndex {
  private constructor(private readonly kinds: ReadonlyMap<WorkKind, ByThread>) {}

  /** Returns null if none of it was recorded. */
  static of(samples: readonly SampleTable[], switches: SwitchColumns): KernelWorkIndex | null {
    const faults = tableOf(samples, PAGE_FAULTS);
    const entries = samples.filter(({ event }) => ENTRY.test(event));
    if (faults === null && entries.length === 0) return null;
    const [softirqs, interrupts] = [true, false].map((isSoft) =>
      entries.filter(({ event }) => event.startsWith('irq:softirq') === isSoft),
    );
    const kinds = new Map<WorkKind, ByThread>();
    if (faults !== null)
      kinds.set(
        'page faults',
        momentsOf([faults], () => Number.NaN),
      );
    if (interrupts.length > 0) kinds.set('interrupts', momentsOf(interrupts, durationIn(samples)));
    if (softirqs.length > 0) kinds.set('softirqs', momentsOf(softirqs, durationIn(samples)));
    if (switches.length > 0) kinds.set('preemptions', preemptions(switches));
    if (tableOf(samples, SWITCHES) !== null) kinds.set('migrations', migrations(samples));
    return new KernelWorkIndex(kinds);
  }

  /** Of a thread, what began within an interval. */
  within(tid: Tid, startNs: Nanoseconds, endNs: Nanoseconds): KernelWork[] {
    return this.sum((add) => add(tid, startNs, endNs));
  }

  /** Of all complete calls, by thread. */
  inCalls(spans: ReadonlyMap<Tid, Spans>): WorkInCalls {
    let calls = 0;
    const work = this.sum((add, isFirst) => {
      for (const [tid, { startNs, endNs, ending }] of spans)
        for (let row = 0; row < startNs.length; row++) {
          if (!isComplete(ending[row])) continue;
          add(tid, startNs[row], endNs[row]);
          if (isFirst) calls++;
        }
    });
    return { calls, work };
  }

  /** `addAll`: adds intervals, the same for each kind. */
  private sum(addAll: (add: (tid: Tid, startNs: Nanoseconds, endNs: Nanoseconds) => void, isFirst: boolean) => void) {
    return [...this.kinds].map(([kind, threads], row): KernelWork => {
      let [count, ns] = [0, 0];
      addAll((tid, startNs, endNs) => {
        const own = threads.get(tid);
        if (own === undefined) return;
        const [first, end] = [startNs, endNs].map((bound) => countBelow(own.startNs, bound)) as [number, number];
        count += end - first;
        for (let at = first; at < end; at++) ns += own.ns[at];
      }, row === 0);
      return { kind, count, ns: isTimed(kind) ? ns : Number.NaN };
    });
  }
}

/** Adds the work of other calls, of the same recording or of another one. */
export function addWork(sum: WorkInCalls | null, more: WorkInCalls): WorkInCalls {
  if (sum === null) return more;
  const work = WORK_KINDS.flatMap((kind) => {
    const both = [sum, more].flatMap((each) => each.work.filter((row) => row.kind === kind));
    const total = (numberOf: (row: KernelWork) => number) => both.reduce((all, row) => all + numberOf(row), 0);
    return both.length === 0 ? [] : [{ kind, count: total(({ count }) => count), ns: total(({ ns }) => ns) }];
  });
  return { calls: sum.calls + more.calls, work };
}

function isTimed(kind: WorkKind): boolean {
  return kind !== 'page faults' && kind !== 'migrations';
}

/** `durationOf`: of the moment in a row. */
function momentsOf(tables: readonly SampleTable[], durationOf: (table: SampleTable, row: number) => number): ByThread {
  const found = tables.flatMap((table) =>
    Array.from(table.tid, (tid, row) => ({ tid, startNs: table.timeNs[row], ns: durationOf(table, row) })),
  );
  return grouped(found.sort((a, b) => a.startNs - b.startNs));
}

/** `moments`: by time. */
function grouped(moments: Iterable<{ readonly tid: Tid; readonly startNs: number; readonly ns: number }>): ByThread {
  const threads = new Map<Tid, { readonly startNs: number[]; readonly ns: number[] }>();
  for (const { tid, startNs, ns } of moments) {
    const own = threads.get(tid) ?? { startNs: [], ns: [] };
    own.startNs.push(startNs);
    own.ns.push(ns);
    threads.set(tid, own);
  }
  const columns = [...threads].map(([tid, { startNs, ns }]) => {
    return [tid, { startNs: Float64Array.from(startNs), ns: Float64Array.from(ns) }] as const;
  });
  return new Map(columns);
}

/** Handlers of one kind do not interrupt each other on a CPU: the next end there is that of this one. */
function durationIn(samples: readonly SampleTable[]): (table: SampleTable, row: number) => number {
  const ends = new Map<SampleTable, ReadonlyMap<number, Float64Array>>();
  const endsOf = (table: SampleTable) => {
    const exit = tableOf(samples, table.event.replace(/_entry$/, '_exit'));
    const cpus = new Set(exit?.cpu ?? []);
    return new Map(
      [...cpus].map((cpu) => [cpu, exit?.timeNs.filter((_, row) => exit.cpu[row] === cpu)] as const),
    ) as Map<number, Float64Array>;
  };
  return (table, row) => {
    const own = ends.get(table) ?? endsOf(table);
    ends.set(table, own);
    const onCpu = own.get(table.cpu[row]) ?? new Float64Array(0);
    const endNs = onCpu[countBelow(onCpu, table.timeNs[row])];
    return endNs === undefined ? 0 : endNs - table.timeNs[row];
  };
}

/** A thread that is preempted goes on when it gets a CPU again. */
function preemptions({ length, tid, timeNs, kind }: SwitchColumns): ByThread {
  const found = [];
  for (let row = 0; row + 1 < length; row++)
    if (kind[row] === SwitchKind.Preempted && kind[row + 1] === SwitchKind.In && tid[row] === tid[row + 1])
      found.push({ tid: tid[row], startNs: timeNs[row], ns: timeNs[row + 1] - timeNs[row] });
  return grouped(found);
}

/** A thread is on another CPU at its next sample. */
function migrations(samples: readonly SampleTable[]): ByThread {
  const all = samples
    .filter(({ event }) => event !== 'sched:sched_waking')
    .flatMap((table) =>
      Array.from(table.tid, (tid, row) => ({ tid, startNs: table.timeNs[row], cpu: table.cpu[row] })),
    );
  const last = new Map<Tid, number>();
  const moved = all
    .sort((a, b) => a.startNs - b.startNs)
    .filter(({ tid, cpu }) => {
      const before = last.get(tid) ?? cpu;
      if (cpu !== NONE) last.set(tid, cpu);
      return cpu !== NONE && before !== cpu;
    });
  return grouped(moved.map(({ tid, startNs }) => ({ tid, startNs, ns: 0 })));
}
