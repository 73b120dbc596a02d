/**
 * Whole lines in, what each of them says out: most as numbers in rows, the others one by one.
 *
 * What a line says beside its time, the same bytes always say the same. So most lines are read by the kernel, which knows
 * them by every one of their bytes, or takes them apart itself if they look as usual. All others are read by the tolerant
 * parser, which is the definition.
 *
 * A reader keeps what lines it has seen before, and nothing that a result depends on: readers of their own may read
 * the pieces of one trace, in any order and anywhere.
 */
import type { EventRun, GroupedEvents } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds } from '../../model/units.js';
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
} from '../kernel/layout.js';
import { type Kernel, newKernel } from '../kernel.js';
import { type Head, LinePrefix, UNUSUAL } from '../lines/line-prefix.js';
import { MAX_LINE_BYTES } from '../lines/lines.js';
import { parsePerfLine } from '../lines/perf-line.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import { BranchEnds, type BranchText, packFlags } from './branch-ends.js';
import { addToSent, type NewBranches, NONE_SENT, newBranches, type SentCounts } from './new-branches.js';
import { KernelLines, KernelText, lineText, type ReadLines } from './read-lines.js';
import { ARROW, onlyArrow, simpleBranch, USUAL_FLAGS } from './simple-branch.js';

/** What a piece has of one lane. */
export interface BranchRun extends EventRun {
  /** Of its last event, and where that stands among the lines of the piece. */
  readonly lastNs: Nanoseconds;
  readonly lastRow: number;
}

/** Branches by lane: events with numbers of branches in the place of sites. */
export interface GroupedBranches extends GroupedEvents {
  readonly runs: readonly BranchRun[];
}

/** A thread on a processor. */
export interface LaneKey {
  readonly tid: number;
  readonly cpu: number; // NOT_PRINTED if it was not
}

/** Of a line: what stands behind its time, its only arrow (before the line if it has none or several), its end. */
interface LineOffsets {
  readonly rest: number;
  readonly arrow: number;
  readonly newline: number;
}

const NEWLINE = 10;
export const OVERLONG = 'longer than any line of perf';
const OVERLONG_LINE: PerfLine = { type: 'damaged', reason: OVERLONG };

/** Each second brings a new one of every thread. */
const MOST_HEADS = 64 * 1024;

/** What a reader has learned, for others to begin with; plain data. */
export interface ReaderSnapshot {
  /** The kernel's memory. */
  readonly memory: Uint8Array;
  /** Four numbers each: tid, pid, cpu, seconds. */
  readonly heads: Float64Array;
  /** Two numbers each: tid, cpu. */
  readonly lanes: Int32Array;
  readonly sent: SentCounts;
}

export class LineReader {
  private readonly kernel = kernelWithFlags();
  private readonly prefix = new LinePrefix();
  private readonly ends: BranchEnds;
  private readonly heads: Head[] = [];
  private readonly rowOfHead = new Map<string, number>();
  private readonly lanes: LaneKey[] = [];
  private readonly laneNumbers = new Map<string, number>();
  private reservedStart = 0;
  private text = new KernelText(this.kernel, 0, 0);
  private others: PerfLine[] = [];
  private otherRows: number[] = [];
  private sent = NONE_SENT;

  /** `knowledge`: of another reader, whose numbers of branches go on here. */
  constructor(snapshot: ReaderSnapshot | null = null) {
    if (snapshot) this.restore(snapshot);
    this.ends = new BranchEnds(this.kernel, this.sent.texts);
  }

  /** What was learned up to now, good until something else is read; nothing may be left that was not told of. */
  knowledge(): ReaderSnapshot {
    const { kernel, heads, lanes, sent } = this;
    return {
      memory: new Uint8Array(kernel.memory.buffer, 0, kernel.memoryUsed()),
      heads: Float64Array.from(heads.flatMap(({ tid, pid, cpu, seconds }) => [tid, pid, cpu, seconds])),
      lanes: Int32Array.from(lanes.flatMap(({ tid, cpu }) => [tid, cpu])),
      sent,
    };
  }

  private restore({ memory, heads, lanes, sent }: ReaderSnapshot): void {
    const { kernel } = this;
    kernel.takeOver(memory.length);
    new Uint8Array(kernel.memory.buffer).set(memory);
    for (let at = 0; at < heads.length; at += 4)
      this.keepHead({ tid: heads[at], pid: heads[at + 1], cpu: heads[at + 2], seconds: heads[at + 3] });
    for (let at = 0; at < lanes.length; at += 2) this.keepLane({ tid: lanes[at], cpu: lanes[at + 1] });
    this.sent = sent;
  }

  /** Room for so many bytes of text, to be read from there. */
  reserve(bytes: number): Uint8Array {
    const { kernel } = this;
    this.reservedStart = kernel.roomForText(bytes);
    return new Uint8Array(kernel.memory.buffer, this.reservedStart, bytes);
  }

  /** `bytes`: whole lines, each with its newline. What is returned is good until the next call. */
  read(bytes: Uint8Array): ReadLines {
    this.reserve(bytes.length).set(bytes);
    return this.readReserved(0, bytes.length);
  }

  /** The same for what was put into the room, from one of its bytes up to another. */
  readReserved(from: number, to: number): ReadLines {
    const { kernel } = this;
    this.begin(from, to);
    const length = to - from;
    for (let at = 0; at < length; ) {
      const why = kernel.read(at);
      at = kernel.lineStart();
      if (why === STOP_UNKNOWN_HEAD) at = this.takeNewHead(at);
      else if (why === STOP_UNKNOWN_REST)
        at = this.takeLine(at, kernel.restStart(), kernel.lineHead(), kernel.lineNs());
    }
    const { heads, others, otherRows } = this;
    return new KernelLines(this.text, kernel, heads, others, otherRows);
  }

  /** Branches first seen since the last call. */
  takeNewBranches(): NewBranches {
    const news = newBranches(this.kernel, this.sent, this.ends.takeNewTexts());
    this.sent = addToSent(this.sent, news);
    return news;
  }

  /**
   * The branches of the lines that were read last, up to a row, by lane; null if their times step back too far.
   * `originSeconds`: what times are counted from. Good until something else is read.
   */
  group(rows: number, originSeconds: number): GroupedBranches | null {
    const { kernel, lanes } = this;
    if (kernel.group(rows, originSeconds) === 0) return null;
    const { buffer } = kernel.memory;
    const index = new DataView(buffer, kernel.runsStart(), kernel.runsBytes());
    const events = new Int32Array(buffer, kernel.eventsStart(), kernel.eventsBytes() / Int32Array.BYTES_PER_ELEMENT);
    const runs: BranchRun[] = [];
    for (let at = 0; at < index.byteLength; at += RUN_BYTES) {
      const lane = lanes[index.getInt32(at + RUN_LANE, true)];
      const length = index.getInt32(at + RUN_EVENT_BYTES, true) / Int32Array.BYTES_PER_ELEMENT;
      const events = index.getInt32(at + RUN_EVENTS, true);
      const lastNs = index.getFloat64(at + RUN_NS, true);
      runs.push({ ...lane, length, events, lastNs, lastRow: index.getInt32(at + RUN_LAST_ROW, true) });
    }
    return { runs, events, startNs: kernel.lowest(originSeconds), endNs: kernel.highest(originSeconds) };
  }

  private begin(from: number, to: number): void {
    const { kernel } = this;
    if (this.heads.length > MOST_HEADS) {
      this.heads.length = 0;
      this.rowOfHead.clear();
      kernel.forgetHeads();
      kernel.forgetHeadFacts();
    }
    kernel.begin(from, to);
    this.text = new KernelText(kernel, this.reservedStart + from, to - from);
    this.others = [];
    this.otherRows = [];
  }

  /** A line whose beginning is not known. Where reading goes on: at the same line, if it is known now. */
  private takeNewHead(start: number): number {
    const { prefix, kernel } = this;
    const rest = prefix.read(this.text.bytes, start);
    if (rest === UNUSUAL) return this.takeLine(start, UNUSUAL, 0, 0);
    const row = this.headRow();
    const length = prefix.dot + 1 - start;
    if (kernel.learnHead(start, length, row)) return start;
    return this.takeLine(start, rest, row, prefix.ns);
  }

  private headRow(): number {
    const { tid, pid, cpu, seconds } = this.prefix;
    const head = { tid, pid, cpu, seconds };
    const known = this.rowOfHead.get(headKey(head));
    if (known !== undefined) return known;
    this.kernel.addHead(seconds, this.laneOf(tid, cpu));
    return this.keepHead(head);
  }

  private keepHead(head: Head): number {
    const row = this.heads.push(head) - 1;
    this.rowOfHead.set(headKey(head), row);
    return row;
  }

  private laneOf(tid: number, cpu: number): number {
    return this.laneNumbers.get(`${tid} ${cpu}`) ?? this.keepLane({ tid, cpu });
  }

  private keepLane({ tid, cpu }: LaneKey): number {
    const lane = this.lanes.push({ tid, cpu }) - 1;
    this.laneNumbers.set(`${tid} ${cpu}`, lane);
    return lane;
  }

  /** A line for the tolerant parser; `rest`: behind its time, if that is where it usually is, or UNUSUAL. */
  private takeLine(start: number, rest: number, head: number, ns: number): number {
    const { bytes } = this.text;
    const newline = bytes.indexOf(NEWLINE, start);
    const isOverlong = newline - start > MAX_LINE_BYTES;
    const text = isOverlong ? '' : lineText(bytes, start, newline);
    const line = isOverlong ? OVERLONG_LINE : parsePerfLine(text);
    const branch = rest === UNUSUAL ? null : simpleBranch(line);
    if (branch) this.takeBranch(branch, start, head, ns, { rest, arrow: start + onlyArrow(text), newline });
    else this.takeOther(line, start);
    return newline + 1;
  }

  private takeOther(line: PerfLine, start: number): void {
    this.otherRows.push(this.kernel.linesBytes() / LINE_BYTES);
    this.others.push(line);
    this.kernel.addLine(start, OTHER, 0, 0);
  }

  /** Lets the kernel know what stands behind the line's time, up to its target and from there on. */
  private takeBranch(branch: BranchText, start: number, head: number, ns: number, places: LineOffsets): void {
    const { kernel, ends } = this;
    const { rest, arrow, newline } = places;
    const origin = ends.origin(branch);
    const target = ends.target(branch);
    if (arrow >= start) {
      const targetAt = arrow + ARROW.length;
      kernel.learnOrigin(rest, targetAt - rest, origin);
      kernel.learnTarget(targetAt, newline + 1 - targetAt, target); // with its newline
    }
    kernel.addLine(start, kernel.branch(origin, target), head, ns);
  }
}

/** It knows the usual flags by their words. */
function kernelWithFlags(): Kernel {
  const kernel = newKernel();
  for (const { words, kind, edge } of USUAL_FLAGS) {
    const bytes = Buffer.from(`${words}  `, 'latin1');
    const at = kernel.roomForText(bytes.length);
    new Uint8Array(kernel.memory.buffer).set(bytes, at);
    kernel.addFlagWords(0, bytes.length, packFlags(kind, edge));
  }
  return kernel;
}

function headKey({ tid, pid, cpu, seconds }: Head): string {
  return `${tid} ${pid} ${cpu} ${seconds}`;
}
