/**
 * Which file lies at an address of a process's memory at some time.
 *
 * A process begins with a fork, with all that its parent has, or with an exec, with nothing. From then on newer
 * mappings cover older ones. The kernel's are the same for all.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import { type Address, type Nanoseconds, NONE } from '../../model/units.js';

/** perf gives the kernel's mappings the process −1, and programs have positive ids. */
const KERNEL = 0;

/** How far a search goes: a garbled trace must not make each one as long as itself. */
const MOST_MAPPINGS = 4096;
const MOST_PARENTS = 16;

interface Beginning {
  readonly timeNs: Nanoseconds;
  readonly parentPid: number; // NONE: exec
}

const ALWAYS: Beginning = { timeNs: Number.NEGATIVE_INFINITY, parentPid: NONE };

/** Neither the order in which it is told nor repetition changes what it knows. */
export class Mappings {
  private readonly processes = new Map<number, Process>();

  add(mapping: Mapping): void {
    this.process(Math.max(mapping.pid, KERNEL)).mappings.add(mapping);
  }

  /** Forks of threads, which stay in their process, change nothing. */
  addFork(pid: number, parentPid: number, timeNs: Nanoseconds): void {
    if (pid !== parentPid) this.begin(pid, { timeNs, parentPid });
  }

  addExec(pid: number, timeNs: Nanoseconds): void {
    this.begin(pid, { timeNs, parentPid: NONE });
  }

  /** What was added, but for forks and execs, in an order that does not depend on when. */
  all(): Mapping[] {
    const processes = [...this.processes].sort(([a], [b]) => a - b);
    return processes.flatMap(([pid, { mappings }]) => mappings.all().map((mapping) => ({ ...mapping, pid })));
  }

  /** All that may lie in the memory of these processes, and the kernel's; of forks what their parents had, too. null: of all. */
  within(pids: ReadonlySet<number> | null): Mapping[] {
    if (pids === null) return this.all();
    const wanted = new Set([KERNEL, ...pids]);
    for (const pid of wanted)
      for (const { parentPid } of this.processes.get(pid)?.beginnings.all() ?? [])
        if (parentPid !== NONE) wanted.add(parentPid); // a set is walked with what is added meanwhile
    return this.all().filter(({ pid }) => wanted.has(pid));
  }

  /** The newest file at an address; `pid` matters for programs only. null: the trace does not tell. */
  fileAt(pid: number, address: Address, timeNs: Nanoseconds): string | null {
    let owner = address < 0 ? KERNEL : pid;
    let atNs = timeNs;
    for (let parents = 0; parents <= MOST_PARENTS; parents++) {
      const process = this.processes.get(owner);
      if (process === undefined) return null;
      const beginning: Beginning = process.beginnings.newest(atNs, () => true) ?? ALWAYS;
      const isThere = (mapping: Mapping) => mapping.timeNs >= beginning.timeNs && covers(mapping, address);
      const mapping = process.mappings.newest(atNs, isThere);
      if (mapping !== null) return mapping.file;
      owner = beginning.parentPid;
      atNs = beginning.timeNs;
    }
    return null;
  }

  private begin(pid: number, beginning: Beginning): void {
    if (pid > KERNEL) this.process(pid).beginnings.add(beginning);
  }

  private process(pid: number): Process {
    let process = this.processes.get(pid);
    if (process === undefined) this.processes.set(pid, (process = new Process()));
    return process;
  }
}

class Process {
  readonly mappings = new History<Mapping>(smallerLast);
  readonly beginnings = new History<Beginning>((a, b) => b.parentPid - a.parentPid); // exec comes behind fork
}

/** Of two mappings of one time the smaller one tells more: a module of the kernel may lie within its text. */
function smallerLast(a: Mapping, b: Mapping): number {
  const byFile = a.file === b.file ? 0 : a.file < b.file ? -1 : 1;
  return b.length - a.length || a.start - b.start || byFile || (a.fileOffset || 0) - (b.fileOffset || 0);
}

function covers({ start, length }: Mapping, address: Address): boolean {
  return start <= address && address < start + length;
}

/** What happened to a process, by time; told in any order, and perhaps more than once. */
class History<Row extends { readonly timeNs: Nanoseconds }> {
  private rows: Row[] = [];
  /** As many as rows if those are in order. */
  private times = new Float64Array();
  private readonly compareEqualTimes: (a: Row, b: Row) => number;

  constructor(compareEqualTimes: (a: Row, b: Row) => number) {
    this.compareEqualTimes = compareEqualTimes;
  }

  add(row: Row): void {
    this.rows.push(row);
  }

  /** By time, each once. */
  all(): readonly Row[] {
    if (this.times.length !== this.rows.length) this.sort();
    return this.rows;
  }

  /** The last row at or before a time that is asked for. */
  newest(timeNs: Nanoseconds, isAskedFor: (row: Row) => boolean): Row | null {
    if (this.times.length !== this.rows.length) this.sort();
    const behind = countAtOrBelow(this.times, timeNs);
    for (let row = behind - 1; row >= Math.max(0, behind - MOST_MAPPINGS); row--)
      if (isAskedFor(this.rows[row])) return this.rows[row];
    return null;
  }

  private sort(): void {
    const compare = (a: Row, b: Row) =>
      a.timeNs === b.timeNs ? this.compareEqualTimes(a, b) : a.timeNs < b.timeNs ? -1 : 1;
    const sorted = this.rows.sort(compare);
    this.rows = sorted.filter((row, index) => index === 0 || compare(sorted[index - 1], row) !== 0);
    this.times = Float64Array.from(this.rows, (row) => row.timeNs);
  }
}
