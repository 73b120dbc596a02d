/**
 * Reads whole lines: most into rows of numbers, the others into one object each.
 *
 * Apart from the time, equal bytes always mean the same. So the kernel reads most lines: it compares all their bytes
 * with those it has seen, or parses them if they have the usual form. All other lines go to the reference parser.
 *
 * All readers of a trace share what they have seen, but no result depends on that: they may read its pieces in any order
 * and in any worker. Only the numbers of branches do; their sites are numbered in the order of the trace.
 */
import type { EventRun, GroupedEvents } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds } from '../../model/units.js';
import { bytesAt, intsAt, type Kernel, type KernelMemory, newKernel, newMemory } from '../kernel.js';
import { lineFault } from '../lines/line-fault.js';
import { type Head, LinePrefix, NOT_PRINTED, UNUSUAL } from '../lines/line-prefix.js';
import { MAX_LINE_BYTES } from '../lines/lines.js';
import { parsePerfLine } from '../lines/perf-line.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import {
  LINE_BYTES,
  OTHER,
  RUN_BYTES,
  RUN_EVENT_BYTES,
  RUN_EVENTS,
  RUN_LANE,
  RUN_LAST_ROW,
  RUN_NS,
  STOP_UNKNOWN_HEAD,
  STOP_UNKNOWN_REST,
} from '../wasm/layout.js';
import { BranchEnds, type BranchText, packFlags } from './branch-ends.js';
import { KnownBranches } from './known-branches.js';
import { LINE_COLUMNS, lineText, type ReadLines } from './read-lines.js';
import { ARROW, onlyArrow, simpleBranch, USUAL_FLAGS } from './simple-branch.js';

type Known = Extract<PerfLine, { type: 'sample' | 'sideband' }>;

/** Texts of probes with many values may never repeat. */
const MAX_KNOWN = 16 * 1024;
const MAX_LENGTH = 1024;

/**
 * Remembers samples and records by their text after the time: most repeat, apart from the thread, the CPU and the time,
 * and the reference parser takes long to read one.
 */
class KnownLines {
  private readonly lines = new Map<string, Known>();

  /** Returns a line with a usual prefix and this text after it; null if the reference parser must read it. */
  find(text: string, { tid, pid, cpu, seconds }: Head, ns: number): PerfLine | null {
    const known = this.lines.get(text);
    if (known === undefined) return null;
    const ids = { tid, pid: pid === NOT_PRINTED ? null : pid, cpu: cpu === NOT_PRINTED ? null : cpu };
    const line: Known = { ...known, prefix: { comm: null, ...ids, time: { seconds, ns } } };
    return lineFault(line) === null ? line : null;
  }

  /** Adds what the reference parser read. The meaning of a text with an arrow may depend on what precedes it. */
  add(text: string, line: PerfLine): void {
    if ((line.type !== 'sample' && line.type !== 'sideband') || text.length > MAX_LENGTH || text.includes(ARROW))
      return;
    if (this.lines.size === MAX_KNOWN) this.lines.clear();
    this.lines.set(text, line);
  }
}

/** The events that a piece has of one lane. */
export interface BranchRun extends EventRun {
  /** Time of the last event. */
  readonly lastNs: Nanoseconds;
  /** Row of the last event among the lines of the piece. */
  readonly lastRow: number;
}

/** Branches by lane: events with branch numbers instead of sites. */
export interface GroupedBranches extends GroupedEvents {
  readonly runs: readonly BranchRun[];
}

/** What identifies a lane. */
export interface LaneKey {
  readonly tid: number;
  readonly cpu: number; // or NOT_PRINTED
}

interface LineOffsets {
  /** After the time. */
  readonly rest: number;
  /** The only arrow; less than the start of the line if it has none or several. */
  readonly arrow: number;
  readonly newline: number;
}

const NEWLINE = 10;
export const OVERLONG = 'longer than any line of perf';
const OVERLONG_LINE: PerfLine = { type: 'damaged', reason: OVERLONG };

/** Every thread adds a new head each second. */
const MAX_HEADS = 64 * 1024;

export class LineReader {
  readonly memory: KernelMemory;
  /** What all readers with this memory know. */
  readonly branches: KnownBranches;
  private readonly kernel: Kernel;
  private readonly prefix = new LinePrefix();
  private readonly ends: BranchEnds;
  private readonly knownLines = new KnownLines();
  private readonly heads: Head[] = [];
  private readonly headRows = new Map<string, number>();
  private readonly lanes: LaneKey[] = [];
  private readonly laneNumbers = new Map<string, number>();
  private reservedStart = 0;
  private text: Uint8Array = new Uint8Array();
  private others: PerfLine[] = [];
  private otherRows: number[] = [];

  /** Readers with the same memory share the branches that they know, and their numbers. */
  constructor(memory: KernelMemory = newMemory()) {
    this.memory = memory;
    this.kernel = kernelWithFlags(memory);
    this.branches = new KnownBranches(memory, this.kernel);
    this.ends = new BranchEnds(this.kernel, (text) => this.addText(text));
  }

  /** Returns a buffer for text to be read by `readReserved`. */
  reserve(bytes: number): Uint8Array {
    const { kernel } = this;
    this.reservedStart = kernel.reserveText(bytes);
    return bytesAt(this.memory, this.reservedStart, bytes);
  }

  /** Reads whole lines, each with its newline. The result is valid until the next call. */
  read(bytes: Uint8Array): ReadLines {
    this.reserve(bytes.length).set(bytes);
    return this.readReserved(0, bytes.length);
  }

  /** Likewise for the bytes in the reserved buffer between two offsets. */
  readReserved(from: number, to: number): ReadLines {
    const { kernel } = this;
    this.begin(from, to);
    const length = to - from;
    for (let at = 0; at < length; ) {
      const stop = kernel.read(at);
      at = kernel.lineStart();
      if (stop === STOP_UNKNOWN_HEAD) at = this.readNewHead(at);
      else if (stop === STOP_UNKNOWN_REST)
        at = this.parseLine(at, kernel.restStart(), kernel.lineHead(), kernel.lineNs());
    }
    const { heads, others, otherRows } = this;
    const rows = intsAt(this.memory, kernel.linesStart(), kernel.linesBytes());
    return { bytes: this.text, length: rows.length / LINE_COLUMNS, rows, heads, others, otherRows };
  }

  /**
   * Groups the branches of the lines read last, up to a row, by lane; null if their times step back too far. Times
   * count from `originSeconds`. Valid until the next read.
   */
  group(rows: number, originSeconds: number): GroupedBranches | null {
    const { kernel, lanes } = this;
    if (kernel.group(rows, originSeconds) === 0) return null;
    const { buffer, byteOffset, byteLength } = bytesAt(this.memory, kernel.runsStart(), kernel.runsBytes());
    const index = new DataView(buffer, byteOffset, byteLength);
    const events = intsAt(this.memory, kernel.eventsStart(), kernel.eventsBytes());
    const runs: BranchRun[] = [];
    for (let at = 0; at < index.byteLength; at += RUN_BYTES) {
      const lane = lanes[index.getInt32(at + RUN_LANE, true)];
      const length = index.getInt32(at + RUN_EVENT_BYTES, true) / Int32Array.BYTES_PER_ELEMENT;
      const events = index.getInt32(at + RUN_EVENTS, true);
      const lastNs = index.getFloat64(at + RUN_NS, true);
      runs.push({ ...lane, length, events, lastNs, lastRow: index.getInt32(at + RUN_LAST_ROW, true) });
    }
    return { runs, events, startNs: kernel.lowestNs(originSeconds), endNs: kernel.highestNs(originSeconds) };
  }

  private begin(from: number, to: number): void {
    const { kernel } = this;
    if (this.heads.length > MAX_HEADS) {
      this.heads.length = 0;
      this.headRows.clear();
      kernel.clearHeads();
      kernel.clearHeadRows();
    }
    kernel.begin(from, to);
    this.text = bytesAt(this.memory, this.reservedStart + from, to - from);
    this.others = [];
    this.otherRows = [];
  }

  /**
   * Reads a line with an unknown head. Returns where to continue: at the same line, if the kernel knows the head now.
   */
  private readNewHead(start: number): number {
    const { prefix, kernel } = this;
    const rest = prefix.read(this.text, start);
    if (rest === UNUSUAL) return this.parseLine(start, UNUSUAL, 0, 0);
    const row = this.headRow();
    const length = prefix.dot + 1 - start;
    if (kernel.cacheHead(start, length, row)) return start;
    return this.parseLine(start, rest, row, prefix.ns);
  }

  private headRow(): number {
    const { tid, pid, cpu, seconds } = this.prefix;
    const head = { tid, pid, cpu, seconds };
    const known = this.headRows.get(headKey(head));
    if (known !== undefined) return known;
    this.kernel.addHead(seconds, this.laneNumber(tid, cpu));
    return this.addHead(head);
  }

  private addHead(head: Head): number {
    const row = this.heads.push(head) - 1;
    this.headRows.set(headKey(head), row);
    return row;
  }

  private laneNumber(tid: number, cpu: number): number {
    return this.laneNumbers.get(`${tid} ${cpu}`) ?? this.addLane({ tid, cpu });
  }

  private addLane({ tid, cpu }: LaneKey): number {
    const lane = this.lanes.push({ tid, cpu }) - 1;
    this.laneNumbers.set(`${tid} ${cpu}`, lane);
    return lane;
  }

  /** Parses a line with the reference parser; `rest`: after a usual prefix, or UNUSUAL. Returns where to continue. */
  private parseLine(start: number, rest: number, head: number, ns: number): number {
    const bytes = this.text;
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline - start > MAX_LINE_BYTES) this.addOther(OVERLONG_LINE, start);
    else if (rest === UNUSUAL) this.addOther(parsePerfLine(lineText(bytes, start, newline)), start);
    else this.parseRest(start, { rest, newline }, head, ns);
    return newline + 1;
  }

  /** Parses a line after its usual prefix. */
  private parseRest(
    start: number,
    { rest, newline }: { rest: number; newline: number },
    head: number,
    ns: number,
  ): void {
    const { knownLines } = this;
    const restText = lineText(this.text, rest, newline);
    const known = knownLines.find(restText, this.heads[head], ns);
    if (known) return this.addOther(known, start);
    const text = lineText(this.text, start, newline);
    const line = parsePerfLine(text);
    const branch = simpleBranch(line);
    if (branch) return this.addBranch(branch, start, head, ns, { rest, arrow: start + onlyArrow(text), newline });
    knownLines.add(restText, line);
    this.addOther(line, start);
  }

  private addText(text: string): number {
    const bytes = Buffer.from(text, 'latin1');
    bytesAt(this.memory, this.kernel.reserveScratch(bytes.length), bytes.length).set(bytes);
    return this.kernel.addText(bytes.length);
  }

  private addOther(line: PerfLine, start: number): void {
    this.otherRows.push(this.kernel.linesBytes() / LINE_BYTES);
    this.others.push(line);
    this.kernel.addLine(start, OTHER, 0, 0);
  }

  /** Adds a branch to the kernel's tables: the text up to its target, and the text from there on. */
  private addBranch(branch: BranchText, start: number, head: number, ns: number, offsets: LineOffsets): void {
    const { kernel, ends } = this;
    const { rest, arrow, newline } = offsets;
    const origin = ends.origin(branch);
    const target = ends.target(branch);
    if (arrow >= start) {
      const targetAt = arrow + ARROW.length;
      kernel.cacheOrigin(rest, targetAt - rest, origin);
      kernel.cacheTarget(targetAt, newline + 1 - targetAt, target); // with its newline
    }
    kernel.addLine(start, kernel.branch(origin, target), head, ns);
  }
}

/** Creates a kernel that knows the usual flags. */
function kernelWithFlags(memory: KernelMemory): Kernel {
  const kernel = newKernel(memory);
  for (const { words, kind, edge } of USUAL_FLAGS) {
    const bytes = Buffer.from(`${words}  `, 'latin1');
    bytesAt(memory, kernel.reserveText(bytes.length), bytes.length).set(bytes);
    kernel.addFlagWords(0, bytes.length, packFlags(kind, edge));
  }
  return kernel;
}

function headKey({ tid, pid, cpu, seconds }: Head): string {
  return `${tid} ${pid} ${cpu} ${seconds}`;
}
