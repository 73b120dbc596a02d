/**
 * Whole lines in, what each of them says out: most as numbers in rows, the others one by one.
 *
 * What a line says beside its time, the same bytes always say the same. So most lines are read by the kernel, which knows
 * them by every one of their bytes; the first time `usual-branch.ts` does, or the tolerant parser, which is the definition.
 *
 * A reader keeps what lines it has seen before, and nothing that a result depends on: readers of their own may read
 * the pieces of one trace, in any order and anywhere.
 */
import type { EventRun, GroupedEvents } from '../model/trace-chunk.js';
import type { Nanoseconds } from '../model/units.js';
import { BranchEnds, type Origin } from './branch-ends.js';
import { newKernel, Stop } from './kernel.js';
import { type Head, LinePrefix, UNUSUAL } from './line-prefix.js';
import { LONGEST_LINE_BYTES } from './lines.js';
import { type PerfLine, parsePerfLine } from './perf-line.js';
import { KernelLines, KernelText, LINE_COLUMNS, lineText, OTHER, type ReadLines } from './read-lines.js';
import { ARROW, type BranchText, onlyArrow, plainBranch, usualBranch } from './usual-branch.js';

/** What was seen first since the last time; numbers go on from those told of before. */
export interface NewBranches {
  readonly origins: readonly Origin[];
  readonly targets: readonly string[];
  /** Numbers of origin and target, one pair a branch. */
  readonly pairs: ArrayLike<number> & Iterable<number>;
}

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
const RUN_BYTES = 24;

/** A thread on a processor. */
export interface Lane {
  readonly tid: number;
  readonly cpu: number; // NOT_PRINTED if it was not
}

const NEWLINE = 10;
export const OVERLONG = 'longer than any line of perf';
const OVERLONG_LINE: PerfLine = { type: 'damaged', reason: OVERLONG };

/** The kernel tells texts apart by so many of their first bytes: shorter ones it cannot know. */
const LEAST_BYTES = { head: 12, origin: 44, target: 20 } as const;
/** Each second brings a new one of every thread. */
const MOST_HEADS = 64 * 1024;

/** What a reader has learned, for others to begin with; plain data. */
export interface Knowledge {
  /** The kernel's memory. */
  readonly memory: Uint8Array;
  /** Four numbers each: tid, pid, cpu, seconds. */
  readonly heads: Float64Array;
  /** Two numbers each: tid, cpu. */
  readonly lanes: Int32Array;
  readonly origins: number;
  readonly targets: number;
  readonly pairs: number;
}

export class LineReader {
  private readonly kernel = newKernel();
  private readonly prefix = new LinePrefix();
  private readonly ends: BranchEnds;
  private readonly heads: Head[] = [];
  private readonly rowOfHead = new Map<string, number>();
  private readonly lanes: Lane[] = [];
  private readonly laneNumbers = new Map<string, number>();
  private roomStart = 0;
  private text = new KernelText(this.kernel, 0, 0);
  private others: PerfLine[] = [];
  private otherRows: number[] = [];
  private toldPairs = 0;

  /** `knowledge`: of another reader, whose numbers of branches go on here. */
  constructor(knowledge: Knowledge | null = null) {
    this.ends = new BranchEnds(knowledge?.origins ?? 0, knowledge?.targets ?? 0);
    if (knowledge) this.takeOver(knowledge);
  }

  /** What was learned up to now, good until something else is read; nothing may be left that was not told of. */
  knowledge(): Knowledge {
    const { kernel, ends, heads, lanes, toldPairs } = this;
    return {
      memory: new Uint8Array(kernel.memory.buffer, 0, kernel.memoryUsed()),
      heads: Float64Array.from(heads.flatMap(({ tid, pid, cpu, seconds }) => [tid, pid, cpu, seconds])),
      lanes: Int32Array.from(lanes.flatMap(({ tid, cpu }) => [tid, cpu])),
      origins: ends.originCount,
      targets: ends.targetCount,
      pairs: toldPairs / 2,
    };
  }

  private takeOver({ memory, heads, lanes, pairs }: Knowledge): void {
    const { kernel } = this;
    kernel.takeOver(memory.length);
    new Uint8Array(kernel.memory.buffer).set(memory);
    for (let at = 0; at < heads.length; at += 4)
      this.keepHead({ tid: heads[at], pid: heads[at + 1], cpu: heads[at + 2], seconds: heads[at + 3] } as Head);
    for (let at = 0; at < lanes.length; at += 2) this.keepLane({ tid: lanes[at], cpu: lanes[at + 1] } as Lane);
    this.toldPairs = 2 * pairs;
  }

  /** Room for so many bytes of text, to be read from there. */
  room(bytes: number): Uint8Array {
    const { kernel } = this;
    this.roomStart = kernel.roomForText(bytes);
    return new Uint8Array(kernel.memory.buffer, this.roomStart, bytes);
  }

  /** `bytes`: whole lines, each with its newline. What is returned is good until the next call. */
  read(bytes: Uint8Array): ReadLines {
    this.room(bytes.length).set(bytes);
    return this.readRoom(0, bytes.length);
  }

  /** The same for what was put into the room, from one of its bytes up to another. */
  readRoom(from: number, to: number): ReadLines {
    const { kernel } = this;
    this.begin(from, to);
    const length = to - from;
    for (let at = 0; at < length; ) {
      const why = kernel.read(at);
      at = kernel.lineStart();
      if (why === Stop.UnknownHead) at = this.takeNewHead(at);
      else if (why === Stop.UnknownRest) at = this.takeLine(at, kernel.restStart(), kernel.lineHead(), kernel.lineNs());
    }
    const { heads, others, otherRows } = this;
    return new KernelLines(this.text, kernel, heads, others, otherRows);
  }

  /** Branches first seen since the last call. */
  takeNewBranches(): NewBranches {
    const { kernel, toldPairs } = this;
    const pairs = new Int32Array(kernel.memory.buffer, kernel.pairsStart(), kernel.pairsBytes() / 4).slice(toldPairs);
    this.toldPairs += pairs.length;
    return { ...this.ends.takeNew(), pairs };
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
    const events = new Int32Array(buffer, kernel.eventsStart(), kernel.eventsBytes() / 4);
    const runs: BranchRun[] = [];
    for (let at = 0; at < index.byteLength; at += RUN_BYTES) {
      const lane = lanes[index.getInt32(at, true)] as Lane;
      const length = index.getInt32(at + 4, true) / 4;
      const last = { lastNs: index.getFloat64(at + 8, true), lastRow: index.getInt32(at + 20, true) };
      runs.push({ ...lane, ...last, length, events: index.getInt32(at + 16, true) });
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
    this.text = new KernelText(kernel, this.roomStart + from, to - from);
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
    if (length >= LEAST_BYTES.head && kernel.learnHead(start, length, row)) return start;
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

  private keepLane({ tid, cpu }: Lane): number {
    const lane = this.lanes.push({ tid, cpu }) - 1;
    this.laneNumbers.set(`${tid} ${cpu}`, lane);
    return lane;
  }

  /** A line for the tolerant parser; `rest`: behind its time, if that is where it usually is, or UNUSUAL. */
  private takeLine(start: number, rest: number, head: number, ns: number): number {
    const { bytes } = this.text;
    const newline = bytes.indexOf(NEWLINE, start);
    const isOverlong = newline - start > LONGEST_LINE_BYTES;
    const text = isOverlong ? '' : lineText(bytes, start, newline);
    const arrow = rest === UNUSUAL ? -1 : onlyArrow(text);
    const found = isOverlong ? OVERLONG_LINE : lineOrBranch(text, rest - start, arrow, rest !== UNUSUAL);
    if ('type' in found) this.takeOther(found, start);
    else {
      if (arrow !== -1) this.learn(found, rest, start + arrow + ARROW.length, newline);
      this.kernel.addLine(start, this.branchOf(found), head, ns);
    }
    return newline + 1;
  }

  private takeOther(line: PerfLine, start: number): void {
    this.otherRows.push(this.kernel.linesBytes() / (4 * LINE_COLUMNS));
    this.others.push(line);
    this.kernel.addLine(start, OTHER, 0, 0);
  }

  /** Lets the kernel know what stands behind a line's time, up to its target and from there on. */
  private learn(line: BranchText, rest: number, targetAt: number, newline: number): void {
    const { kernel } = this;
    const end = newline + 1; // with its newline
    if (targetAt - rest < LEAST_BYTES.origin || end - targetAt < LEAST_BYTES.target) return;
    kernel.learnOrigin(rest, targetAt - rest, this.originOf(line));
    kernel.learnTarget(targetAt, end - targetAt, this.ends.target(line.to));
  }

  private originOf({ kind, edge, from }: BranchText): number {
    return this.ends.origin(kind, edge, from);
  }

  private branchOf(line: BranchText): number {
    return this.kernel.branch(this.originOf(line), this.ends.target(line.to));
  }
}

function headKey({ tid, pid, cpu, seconds }: Head): string {
  return `${tid} ${pid} ${cpu} ${seconds}`;
}

/** What a line says: a branch, if its head is usual and it is a plain one. `rest`: where its head ends. */
function lineOrBranch(text: string, rest: number, arrow: number, hasUsualHead: boolean): BranchText | PerfLine {
  const usual = arrow === -1 ? null : usualBranch(text, rest, arrow);
  if (usual) return usual;
  const line = parsePerfLine(text);
  return (hasUsualHead ? plainBranch(line) : null) ?? line;
}
