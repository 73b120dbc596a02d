/**
 * Whole lines in, what each of them says out: most as numbers in columns, the others one by one.
 *
 * A reader keeps what lines it has seen before, and nothing that a result depends on: readers of their own may read
 * the pieces of one trace, in any order and anywhere.
 */
import { BranchKind, TraceEdge } from '../model/branch-sites.js';
import { KnownLines } from './known-lines.js';
import { LineColumns } from './line-columns.js';
import { LinePrefix, UNUSUAL } from './line-prefix.js';
import { LONGEST_LINE_BYTES } from './lines.js';
import { type PerfLine, parsePerfLine } from './perf-line.js';

/** What a branch says beside thread and time: the two ends as perf prints them. */
export interface BranchText {
  readonly kind: BranchKind;
  readonly edge: TraceEdge;
  readonly from: string;
  readonly to: string;
}

/** A line is a row; the columns have room for more, and rows of others hold nothing but where they begin. */
export interface ReadLines {
  readonly length: number;
  /** Where the line begins in the bytes. */
  readonly start: Int32Array;
  /** Number of a branch that this reader has told of, or OTHER: then the next one of `others` is the line. */
  readonly branch: Int32Array;
  readonly tid: Int32Array;
  readonly pid: Int32Array; // NOT_PRINTED, as for the cpu
  readonly cpu: Int32Array;
  readonly seconds: Float64Array;
  readonly ns: Int32Array;
  readonly others: readonly PerfLine[];
  /** Branches first seen in these lines: their numbers go on from those told of before. */
  readonly newBranches: readonly BranchText[];
}

export const OTHER = -1;
const NEWLINE = 10;
const RETURN = 13;
export const OVERLONG = 'longer than any line of perf';
const OVERLONG_LINE: PerfLine = { type: 'damaged', reason: OVERLONG };

export class LineReader {
  private readonly prefix = new LinePrefix();
  private readonly known = new KnownLines();
  private readonly numberOf = new Map<string, number>();
  private bytes: Uint8Array = new Uint8Array();
  private others: PerfLine[] = [];
  private newBranches: BranchText[] = [];
  private readonly columns = new LineColumns();

  /** `bytes`: whole lines, each with its newline. What is returned is good until the next call. */
  read(bytes: Uint8Array): ReadLines {
    this.bytes = bytes;
    this.prefix.begin(bytes);
    this.known.begin(bytes);
    this.clear();
    for (let start = 0; start < bytes.length; ) {
      const rest = this.prefix.read(start);
      if (rest !== UNUSUAL && this.known.find(rest)) start = this.takeKnown(start);
      else start = this.takeNew(start, rest);
    }
    return this.lines();
  }

  private takeKnown(start: number): number {
    const { prefix, known, columns } = this;
    const row = columns.nextRow();
    columns.start[row] = start;
    columns.branch[row] = known.value;
    columns.tid[row] = prefix.tid;
    columns.pid[row] = prefix.pid;
    columns.cpu[row] = prefix.cpu;
    columns.seconds[row] = prefix.seconds;
    columns.ns[row] = prefix.ns;
    return known.end + 1;
  }

  /** A line for the tolerant parser; `rest`: behind its time, if that is where it usually is, or UNUSUAL. */
  private takeNew(start: number, rest: number): number {
    const newline = this.bytes.indexOf(NEWLINE, start);
    const isOverlong = newline - start > LONGEST_LINE_BYTES;
    const line = isOverlong ? OVERLONG_LINE : parsePerfLine(lineText(this.bytes, start, newline));
    const number = rest === UNUSUAL ? OTHER : this.numberOfBranch(line);
    if (number === OTHER) return this.takeOther(start, line, newline);
    this.known.learn(rest, newline, number);
    this.known.end = newline;
    this.known.value = number;
    return this.takeKnown(start);
  }

  private takeOther(start: number, line: PerfLine, newline: number): number {
    const row = this.columns.nextRow();
    this.columns.start[row] = start;
    this.columns.branch[row] = OTHER;
    this.others.push(line);
    return newline + 1;
  }

  /** OTHER for what is no plain branch: lines with unknown flags are counted, others mean nothing. */
  private numberOfBranch(line: PerfLine): number {
    if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return OTHER;
    const { flags, from, to } = line;
    const edge = edgeOf(flags.kind, flags.edge);
    const key = `${flags.kind} ${edge} ${from}\n${to}`;
    let number = this.numberOf.get(key);
    if (number === undefined) {
      number = this.numberOf.size;
      this.numberOf.set(Buffer.from(key, 'latin1').toString('latin1'), number); // not a part of the chunk's text
      this.newBranches.push({ kind: flags.kind, edge, from, to });
    }
    return number;
  }

  private clear(): void {
    this.columns.length = 0;
    this.others = [];
    this.newBranches = [];
  }

  private lines(): ReadLines {
    const { columns, others, newBranches } = this;
    const { length, start, branch, tid, pid, cpu, seconds, ns } = columns;
    return { length, start, branch, tid, pid, cpu, seconds, ns, others, newBranches };
  }
}

/** A line without its end; bytes as latin1 characters. */
export function lineText(bytes: Uint8Array, start: number, newline: number): string {
  const end = bytes[newline - 1] === RETURN && newline > start ? newline - 1 : newline;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

// "async" has no target to go on from: it ends the trace, with or without perf saying so.
export function edgeOf(kind: BranchKind, edge: TraceEdge): TraceEdge {
  return kind === BranchKind.Async && edge === TraceEdge.None ? TraceEdge.End : edge;
}
