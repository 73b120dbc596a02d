/**
 * Collects the context switches of threads as columns: there may be millions. Of all records: their keys, and when threads
 * were forked and exited.
 */
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { type SwitchColumns, SwitchKind } from '../../model/sample-table.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';

export type SwitchRecord = Extract<TraceRecord, { what: 'switch' }>;

/** Those of one thread: by time; of equal time, by CPU, then outs before ins. */
export interface ThreadSwitchColumns {
  readonly length: number;
  readonly timeNs: Float64Array; // Nanoseconds
  readonly cpu: Int32Array; // NONE if unknown
  readonly kind: Uint8Array; // SwitchKind
}

/** What replay needs of them. */
export type SwitchTimes = Pick<ThreadSwitchColumns, 'length' | 'timeNs' | 'kind'>;

export const NO_SWITCHES: ThreadSwitchColumns = {
  length: 0,
  timeNs: new Float64Array(0),
  cpu: new Int32Array(0),
  kind: new Uint8Array(0),
};

const KINDS = { in: SwitchKind.In, out: SwitchKind.Out, preempted: SwitchKind.Preempted } as const;
const DIRECTIONS = { [SwitchKind.In]: 'in', [SwitchKind.Out]: 'out', [SwitchKind.Preempted]: 'preempted' } as const;

export class SwitchLog {
  private readonly threads = new Map<Tid, ThreadSwitchLog>();

  /** A switch may be added several times. */
  add({ tid, timeNs, cpu, direction }: SwitchRecord): void {
    let own = this.threads.get(tid);
    if (own === undefined) this.threads.set(tid, (own = new ThreadSwitchLog()));
    own.add(timeNs, cpu, KINDS[direction]);
  }

  /** The threads with switches. */
  get tids(): Tid[] {
    return [...this.threads.keys()];
  }

  /** Returns each switch of a thread once. */
  of(tid: Tid): ThreadSwitchColumns {
    return this.threads.get(tid)?.ordered() ?? NO_SWITCHES;
  }

  recordsOf(tid: Tid): SwitchRecord[] {
    const { timeNs, cpu, kind } = this.of(tid);
    return Array.from(kind, (own, row) => {
      const direction = DIRECTIONS[own as SwitchKind];
      return { what: 'switch', direction, tid, cpu: cpu[row], timeNs: timeNs[row] };
    });
  }

  /** Returns the switches of all threads. */
  all(): SwitchColumns {
    const threads = this.tids.sort((a, b) => a - b).map((tid) => ({ tid, switches: this.of(tid) }));
    const length = threads.reduce((sum, { switches }) => sum + switches.length, 0);
    const timeNs = new Float64Array(length);
    const [tids, cpu, kind] = [new Int32Array(length), new Int32Array(length), new Uint8Array(length)];
    let at = 0;
    for (const { tid, switches } of threads) {
      timeNs.set(switches.timeNs, at);
      tids.fill(tid, at, at + switches.length);
      cpu.set(switches.cpu, at);
      kind.set(switches.kind, at);
      at += switches.length;
    }
    return { length, timeNs, tid: tids, cpu, kind };
  }
}

class ThreadSwitchLog {
  private readonly timeNs = float64Column();
  private readonly cpu = int32Column();
  private readonly kind = uint8Column();
  /** null: something was added since. */
  private found: ThreadSwitchColumns | null = null;

  add(timeNs: number, cpu: number, kind: SwitchKind): void {
    this.timeNs.push(timeNs);
    this.cpu.push(cpu);
    this.kind.push(kind);
    this.found = null;
  }

  ordered(): ThreadSwitchColumns {
    this.found ??= inOrder({
      length: this.timeNs.length,
      timeNs: this.timeNs.view(),
      cpu: this.cpu.view(),
      kind: this.kind.view(),
    });
    return this.found;
  }
}

/** Most are in order, because perf prints them so, and none is there twice. */
function inOrder(columns: ThreadSwitchColumns): ThreadSwitchColumns {
  const compare = comparison(columns);
  if (isAscending(columns.length, compare)) return columns;
  const rows = new Uint32Array(columns.length).map((_, row) => row).sort(compare);
  const once = rows.filter((row, at) => at === 0 || compare(rows[at - 1], row) !== 0);
  return {
    length: once.length,
    timeNs: Float64Array.from(once, (row) => columns.timeNs[row]),
    cpu: Int32Array.from(once, (row) => columns.cpu[row]),
    kind: Uint8Array.from(once, (row) => columns.kind[row]),
  };
}

function isAscending(length: number, compare: (a: number, b: number) => number): boolean {
  for (let row = 1; row < length; row++) if (compare(row - 1, row) >= 0) return false;
  return true;
}

/** The comparison of two rows; 0: they are the same switch. */
function comparison({ timeNs, cpu, kind }: ThreadSwitchColumns): (a: number, b: number) => number {
  const rankOf = (row: number) => (kind[row] === SwitchKind.In ? AFTER_OUTS : kind[row]);
  return (a, b) => {
    if (timeNs[a] !== timeNs[b]) return timeNs[a] < timeNs[b] ? -1 : 1;
    return cpu[a] - cpu[b] || rankOf(a) - rankOf(b);
  };
}

const AFTER_OUTS = 3;

// Identifies the records of a thread by their content.

/** Switches are not among them: there are millions. */
export type RareRecord = Exclude<TraceRecord, SwitchRecord>;

/** By thread, then by key. */
export type RecordsByThread = ReadonlyMap<number, ReadonlyMap<string, RareRecord>>;

/** Equal for equal records of the same thread. */
export function recordKey(record: RareRecord): string {
  return JSON.stringify(record);
}

// Finds when threads were forked and exited.

/** null: not recorded. */
export interface Lifetime {
  readonly forkNs: Nanoseconds | null;
  readonly exitNs: Nanoseconds | null;
}

const UNKNOWN: Lifetime = { forkNs: null, exitNs: null };

/** `switched`: threads that have switches. The kernel reuses thread ids: the last fork and the last exit count. */
export function lifetimesOf(records: RecordsByThread, switched: readonly Tid[]): Map<Tid, Lifetime> {
  const lifetimes = new Map(switched.map((tid) => [tid, UNKNOWN]));
  for (const [tid, own] of records) {
    let forkNs: Nanoseconds | null = null;
    let exitNs: Nanoseconds | null = null;
    for (const { what, timeNs } of own.values()) {
      if (what === 'fork') forkNs = Math.max(timeNs, forkNs ?? timeNs);
      if (what === 'exit') exitNs = Math.max(timeNs, exitNs ?? timeNs);
    }
    lifetimes.set(tid, { forkNs, exitNs });
  }
  return lifetimes;
}
