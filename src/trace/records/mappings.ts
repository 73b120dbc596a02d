/**
 * Finds the file mapped at an address of a process at some time, and the offset in it.
 *
 * A process begins with a fork, inheriting all mappings of its parent, or with an exec, with none. From then on newer
 * mappings cover older ones. All processes share those of the kernel.
 */
import { countAtOrBelow } from '../../model/columns.js';
import { bracketedName, isMadeAtRunTime, UNMAPPED_KERNEL } from '../../model/symbol-table.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import { type Address, type Nanoseconds, NONE } from '../../model/units.js';

/** perf gives the kernel's mappings the pid −1, and programs have positive ones. */
const KERNEL = 0;

/** Bounds of a search, so that a garbled trace cannot make each one linear in its size. */
const MAX_MAPPINGS = 4096;
const MAX_PARENTS = 16;

interface Beginning {
  readonly timeNs: Nanoseconds;
  readonly parentPid: number; // NONE: exec
}

const ALWAYS: Beginning = { timeNs: Number.NEGATIVE_INFINITY, parentPid: NONE };

/** The order of additions does not matter, nor do duplicates. */
export class Mappings {
  private readonly processes = new Map<number, Process>();

  add(mapping: Mapping): void {
    this.process(Math.max(mapping.pid, KERNEL)).mappings.add(mapping);
  }

  /** Adds a fork. A new thread in the same process changes nothing. */
  addFork(pid: number, parentPid: number, timeNs: Nanoseconds): void {
    if (pid !== parentPid) this.begin(pid, { timeNs, parentPid });
  }

  addExec(pid: number, timeNs: Nanoseconds): void {
    this.begin(pid, { timeNs, parentPid: NONE });
  }

  /** Returns all mappings, in an order that does not depend on that of the additions. */
  all(): Mapping[] {
    const processes = [...this.processes].sort(([a], [b]) => a - b);
    return processes.flatMap(([pid, { mappings }]) => mappings.all().map((mapping) => ({ ...mapping, pid })));
  }

  /** Returns what may be mapped in these processes (null: in all), in the kernel, and in forks' parents. */
  within(pids: ReadonlySet<number> | null): Mapping[] {
    if (pids === null) return this.all();
    const included = new Set([KERNEL, ...pids]);
    for (const pid of included)
      for (const { parentPid } of this.processes.get(pid)?.beginnings.all() ?? [])
        if (parentPid !== NONE) included.add(parentPid); // iterating a set includes elements added meanwhile
    return this.all().filter(({ pid }) => included.has(pid));
  }

  /** Returns the newest file at an address, or null if unknown. `pid` does not matter for kernel addresses. */
  fileAt(pid: number, address: Address, timeNs: Nanoseconds): string | null {
    if (address < 0) return this.newestAt(KERNEL, address, timeNs) ?? UNMAPPED_KERNEL;
    return this.newestAt(pid, address, timeNs);
  }

  private newestAt(pid: number, address: Address, timeNs: Nanoseconds): string | null {
    let owner = pid;
    let atNs = timeNs;
    for (let parents = 0; parents <= MAX_PARENTS; parents++) {
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
  readonly beginnings = new History<Beginning>((a, b) => b.parentPid - a.parentPid); // exec after fork
}

/**
 * Of two mappings at the same time the smaller one is more specific: a kernel module may be inside the kernel's text.
 */
function smallerLast(a: Mapping, b: Mapping): number {
  const byFile = a.file === b.file ? 0 : a.file < b.file ? -1 : 1;
  return b.length - a.length || a.start - b.start || byFile || (a.fileOffset || 0) - (b.fileOffset || 0);
}

function covers({ start, length }: Mapping, address: Address): boolean {
  return start <= address && address < start + length;
}

/** What happened to a process, by time; added in any order, perhaps with duplicates. */
class History<Row extends { readonly timeNs: Nanoseconds }> {
  private rows: Row[] = [];
  /** Times of the rows; as long as `rows` only while those are sorted. */
  private times = new Float64Array();

  constructor(private readonly compareEqualTimes: (a: Row, b: Row) => number) {}

  add(row: Row): void {
    this.rows.push(row);
  }

  /** Returns all rows by time, without duplicates. */
  all(): readonly Row[] {
    if (this.times.length !== this.rows.length) this.sort();
    return this.rows;
  }

  /** Returns the last matching row at or before a time. */
  newest(timeNs: Nanoseconds, matches: (row: Row) => boolean): Row | null {
    if (this.times.length !== this.rows.length) this.sort();
    const end = countAtOrBelow(this.times, timeNs);
    for (let row = end - 1; row >= Math.max(0, end - MAX_MAPPINGS); row--)
      if (matches(this.rows[row])) return this.rows[row];
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

/**
 * Converts addresses to offsets in files, if all mappings that cover an address agree.
 *
 * The process of an address is unknown here, and programs that load at the same address (not position-independent ones)
 * may disagree. Then the file that perf printed decides, or the offset stays unknown.
 */
export interface FileOffset {
  readonly file: string;
  readonly offset: number;
}

export interface PrintedAddress {
  readonly address: Address;
  /** As perf printed it; null if it did not. */
  readonly file: string | null;
}

/** Returns null where the mappings do not decide. A single pass over both lists, each sorted by address. */
export function fileOffsets(mappings: readonly Mapping[], printed: readonly PrintedAddress[]): (FileOffset | null)[] {
  const known = mappings
    .filter(({ file, start, fileOffset }) => !isMadeAtRunTime(file) && Number.isInteger(start - fileOffset))
    .map((mapping) => ({ ...mapping, file: printedName(mapping.file) }));
  const begins = known.toSorted((a, b) => a.start - b.start);
  const ends = known.toSorted((a, b) => endOf(a) - endOf(b));
  const open = new OpenMappings();
  const offsets = new Array<FileOffset | null>(printed.length).fill(null);
  let begun = 0;
  let ended = 0;
  const rows = [...printed.entries()].sort(([, a], [, b]) => a.address - b.address);
  for (const [row, { address, file }] of rows) {
    while (begun < begins.length && begins[begun].start <= address) open.add(begins[begun++], 1);
    while (ended < ends.length && endOf(ends[ended]) <= address) open.add(ends[ended++], -1);
    offsets[row] = open.offsetAt(address, file);
  }
  return offsets;
}

/** perf maps `[kernel.kallsyms]_text` but prints `[kernel.kallsyms]`. */
function printedName(file: string): string {
  const name = bracketedName(file);
  return name === null ? file : `[${name}]`;
}

function endOf({ start, length }: Mapping): Address {
  return start + length;
}

/** Returns the address of a file's first byte. Without a path: of the mapping, as kernel offsets are addresses. */
function fileStartOf({ file, start, fileOffset }: Mapping): Address {
  return bracketedName(file) === null ? start - fileOffset : start;
}

/** Counts the mappings that cover the current address, by file and by start address of the file. */
class OpenMappings {
  private readonly starts = new Map<string, Map<Address, number>>();

  add(mapping: Mapping, count: 1 | -1): void {
    const starts = this.starts.get(mapping.file) ?? new Map<Address, number>();
    const start = fileStartOf(mapping);
    const left = (starts.get(start) ?? 0) + count;
    if (left === 0) starts.delete(start);
    else starts.set(start, left);
    if (starts.size === 0) this.starts.delete(mapping.file);
    else this.starts.set(mapping.file, starts);
  }

  offsetAt(address: Address, file: string | null): FileOffset | null {
    const { starts } = this;
    const found = file ?? (starts.size === 1 ? (starts.keys().next().value as string) : null);
    const startsOfFile = found === null ? undefined : starts.get(found);
    if (found === null || startsOfFile?.size !== 1) return null;
    return { file: found, offset: address - (startsOfFile.keys().next().value as Address) };
  }
}
