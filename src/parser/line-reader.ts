/**
 * Reads whole lines: most into rows of numbers, the others into one object each.
 *
 * Apart from the time, equal bytes always mean the same. So the module reads most lines: it compares all their bytes
 * with those it has seen, or parses them if they have the usual form. All other lines go to the reference parser.
 *
 * All readers of a trace share what they have seen, but no result depends on that: they may read its pieces in any order
 * and in any worker. Only the numbers of branches do; their sites are numbered in the order of the trace.
 */
import { latin1Bytes, latin1Text } from '../codec/bytes.js';
import type { EventRun, GroupedEvents } from '../model/trace/trace-chunk.js';
import type { Nanoseconds } from '../model/units.js';
import type { SharedMemory } from '../wasm/module.js';
import { type BranchText, KnownBranches, packFlags, TextBranches } from './known-branches.js';
import { type Head, NOT_PRINTED, readPrefix } from './lines/line-prefix.js';
import { MAX_LINE_BYTES } from './lines/lines.js';
import { lineFault, parsePerfLine } from './lines/perf-line.js';
import { edgeOf, type PerfLine, parseFlags } from './lines/perf-line-types.js';
import { bytesAt, floatsAt, intsAt, newReaderMemory, newReaderModule, type ReaderModule } from './reader-module.js';
import {
  LINE_BRANCH,
  LINE_BYTES,
  LINE_HEAD,
  LINE_NS,
  LINE_START,
  OTHER,
  RUN_BYTES,
  RUN_CPU,
  RUN_EVENTS,
  RUN_LAST_NS,
  RUN_LAST_ROW,
  RUN_LENGTH,
  RUN_TID,
  STOP_UNKNOWN_HEAD,
  STOP_UNKNOWN_REST,
} from './wasm/layout.js';

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
  find(text: string, { comm, tid, pid, cpu, seconds }: Head, ns: number): PerfLine | null {
    const known = this.lines.get(text);
    if (known === undefined) return null;
    const ids = { tid, pid: pid === NOT_PRINTED ? null : pid, cpu: cpu === NOT_PRINTED ? null : cpu };
    const line: Known = { ...known, prefix: { comm, ...ids, time: { seconds, ns } } };
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
interface BranchRun extends EventRun {
  /** Time of the last event. */
  readonly lastNs: Nanoseconds;
  /** Row of the last event among the lines of the piece. */
  readonly lastRow: number;
}

/** Branches by lane: events with branch numbers instead of sites. */
export interface GroupedBranches extends Omit<GroupedEvents, 'runs'> {
  /** Columns, see `runsIn`: objects would take longer to send than the events. */
  readonly runs: Float64Array;
  /** Of the events, wherever they are. */
  readonly length: number;
}

const NEWLINE = 10;
export const OVERLONG = 'longer than any line of perf';
const BLANK_LINE = parsePerfLine('');
const OVERLONG_LINE: PerfLine = { type: 'damaged', reason: OVERLONG };

/** Instead of where the text after a usual prefix begins: the whole line is for the reference parser. */
const UNUSUAL = -1;
/** Every thread adds a new head each second. */
const MAX_HEADS = 64 * 1024;

export class LineReader {
  /** What all readers with this memory know. */
  readonly branches: KnownBranches;
  private readonly module: ReaderModule;
  private readonly textBranches: TextBranches;
  private readonly knownLines = new KnownLines();
  private readonly heads: Head[] = [];
  private readonly headRows = new Map<string, number>();
  private readonly laneNumbers = new Map<string, number>();
  private reservedStart = 0;
  private text: Uint8Array = new Uint8Array();
  private others: PerfLine[] = [];
  private otherRows: number[] = [];

  /** Readers with the same memory share the branches that they know, and their numbers. */
  constructor(readonly memory: SharedMemory = newReaderMemory()) {
    this.module = moduleWithFlags(memory);
    this.branches = new KnownBranches(memory, this.module);
    this.textBranches = new TextBranches(this.module, (text) => this.addText(text));
  }

  /** Returns a buffer for text to be read by `readReserved`. */
  reserve(bytes: number): Uint8Array {
    const { module } = this;
    this.reservedStart = module.reserveText(bytes);
    return bytesAt(this.memory, this.reservedStart, bytes);
  }

  /** Reads whole lines, each with its newline. The result is valid until the next call. */
  read(bytes: Uint8Array): ReadLines {
    this.reserve(bytes.length).set(bytes);
    return this.readReserved(0, bytes.length);
  }

  /** Likewise for the bytes in the reserved buffer between two offsets. */
  readReserved(from: number, to: number): ReadLines {
    const { module } = this;
    this.begin(from, to);
    const length = to - from;
    for (let at = 0; at < length; ) {
      const stop = module.read(at);
      at = module.lineStart();
      if (stop === STOP_UNKNOWN_HEAD) at = this.text[at] === NEWLINE ? this.readBlank(at) : this.readNewHead(at);
      else if (stop === STOP_UNKNOWN_REST)
        at = this.parseLine(at, module.restStart(), module.lineHead(), module.lineNs());
    }
    const { heads, others, otherRows } = this;
    const rows = intsAt(this.memory, module.linesStart(), module.linesBytes());
    return { bytes: this.text, length: rows.length / LINE_COLUMNS, rows, heads, others, otherRows };
  }

  /**
   * Groups the branches of the lines read last, up to a row, by lane; null if their times step back too far. Times
   * count from `originSeconds`. The events are valid until the next read.
   */
  group(rows: number, originSeconds: number): GroupedBranches | null {
    const { module, memory } = this;
    if (module.group(rows, originSeconds) === 0) return null;
    const runs = floatsAt(memory, module.runsStart(), module.runsBytes()).slice();
    const events = intsAt(memory, module.eventsStart(), module.eventsBytes());
    const [startNs, endNs] = [module.lowestNs(originSeconds), module.highestNs(originSeconds)];
    return { runs, events, length: events.length, startNs, endNs };
  }

  private begin(from: number, to: number): void {
    const { module } = this;
    if (this.heads.length > MAX_HEADS) {
      this.heads.length = 0;
      this.headRows.clear();
      module.clearHeads();
      module.clearHeadRows();
    }
    module.begin(from, to);
    this.text = bytesAt(this.memory, this.reservedStart + from, to - from);
    this.others = [];
    this.otherRows = [];
  }

  /** Reads blank lines, of which a small compressed file may have millions. Returns where to continue. */
  private readBlank(start: number): number {
    let at = start;
    for (; this.text[at] === NEWLINE; at++) this.addOther(BLANK_LINE, at);
    return at;
  }

  /**
   * Reads a line with an unknown head. Returns where to continue: at the same line, if the module knows the head now.
   */
  private readNewHead(start: number): number {
    const prefix = readPrefix(this.text, start);
    if (prefix === null) return this.parseLine(start, UNUSUAL, 0, 0);
    const { head, ns, dot, end } = prefix;
    const row = this.headRow(head);
    if (this.module.cacheHead(start, dot + 1 - start, row)) return start;
    return this.parseLine(start, end, row, ns);
  }

  private headRow(head: Head): number {
    const key = headKey(head);
    const known = this.headRows.get(key);
    if (known !== undefined) return known;
    this.module.addHead(head.seconds, this.laneNumber(head.tid, head.cpu));
    const row = this.heads.push(head) - 1;
    this.headRows.set(key, row);
    return row;
  }

  private laneNumber(tid: number, cpu: number): number {
    const key = `${tid} ${cpu}`;
    const known = this.laneNumbers.get(key);
    if (known !== undefined) return known;
    this.module.addLane(tid, cpu);
    const lane = this.laneNumbers.size;
    this.laneNumbers.set(key, lane);
    return lane;
  }

  /** Parses a line with the reference parser; `rest`: after a usual prefix, or UNUSUAL. Returns where to continue. */
  private parseLine(start: number, rest: number, head: number, ns: number): number {
    const bytes = this.text;
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline - start > MAX_LINE_BYTES) this.addOther(OVERLONG_LINE, start);
    else if (rest === UNUSUAL) this.addOther(parsePerfLine(lineText(bytes, start, newline)), start);
    else this.parseRest(start, rest, newline, head, ns);
    return newline + 1;
  }

  /** Parses a line after its usual prefix. */
  private parseRest(start: number, rest: number, newline: number, head: number, ns: number): void {
    const { knownLines } = this;
    const restText = lineText(this.text, rest, newline);
    const known = knownLines.find(restText, this.heads[head], ns);
    if (known) return this.addOther(known, start);
    const text = lineText(this.text, start, newline);
    const line = parsePerfLine(text);
    const branch = simpleBranch(line);
    if (branch) {
      const number = this.textBranches.numberOf(branch);
      if (hasOneArrow(text)) this.module.cacheBranch(rest, number);
      return this.module.addLine(start, number, head, ns);
    }
    knownLines.add(restText, line);
    this.addOther(line, start);
  }

  private addText(text: string): number {
    const bytes = latin1Bytes(text);
    bytesAt(this.memory, this.module.reserveScratch(bytes.length), bytes.length).set(bytes);
    return this.module.addText(bytes.length);
  }

  private addOther(line: PerfLine, start: number): void {
    this.otherRows.push(this.module.linesBytes() / LINE_BYTES);
    this.others.push(line);
    this.module.addLine(start, OTHER, 0, 0);
  }
}

const FLOAT = Float64Array.BYTES_PER_ELEMENT;

export function runsIn({ runs }: GroupedBranches): BranchRun[] {
  return Array.from({ length: runs.length / (RUN_BYTES / FLOAT) }, (_, run) => {
    const at = run * (RUN_BYTES / FLOAT);
    return {
      tid: runs[at + RUN_TID / FLOAT],
      cpu: runs[at + RUN_CPU / FLOAT],
      length: runs[at + RUN_LENGTH / FLOAT],
      events: runs[at + RUN_EVENTS / FLOAT],
      lastNs: runs[at + RUN_LAST_NS / FLOAT],
      lastRow: runs[at + RUN_LAST_ROW / FLOAT],
    };
  });
}

/** Creates a module that knows the usual flags. */
function moduleWithFlags(memory: SharedMemory): ReaderModule {
  const module = newReaderModule(memory);
  for (const { words, kind, edge } of USUAL_FLAGS) {
    const bytes = latin1Bytes(`${words}  `);
    bytesAt(memory, module.reserveText(bytes.length), bytes.length).set(bytes);
    module.addFlagWords(0, bytes.length, packFlags(kind, edge));
  }
  return module;
}

function headKey({ comm, tid, pid, cpu, seconds }: Head): string {
  return `${tid} ${pid} ${cpu} ${seconds} ${comm ?? ''}`;
}

// Selects the branches that the module may cache once the reference parser has read them.

/** Flags of branches that the module can parse itself. */
const USUAL_FLAGS = [
  'call',
  'return',
  'jmp',
  'jcc',
  'syscall',
  'sysret',
  'int',
  'iret',
  'async',
  'tr strt',
  'tr end',
  'hw int',
].map((words) => {
  const { kind, edge } = parseFlags(words);
  return { words, kind, edge: edgeOf(kind, edge) };
});

const ARROW = ' => ';
const MAX_LINE_LENGTH = 16 * 1024;

/** Returns whether a line has a single arrow: with several, its meaning may depend on what precedes them. */
function hasOneArrow(line: string): boolean {
  return line.length <= MAX_LINE_LENGTH && line.lastIndexOf(ARROW) === line.indexOf(ARROW);
}

/** Returns a line's branch, or null if it must not be cached: with unknown flags, which are counted, or not taken. */
function simpleBranch(line: PerfLine): BranchText | null {
  if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return null;
  const { flags, from, to } = line;
  return { kind: flags.kind, edge: edgeOf(flags.kind, flags.edge), from, to };
}

// The lines of a piece as rows, in the memory of the module that read them.

/** Columns of a row: the module's records of four bytes a number. */
export const Line = {
  /** Offset of the line in the bytes. */
  Start: LINE_START / Int32Array.BYTES_PER_ELEMENT,
  /** Number of a branch of this reader, or OTHER: then the line is the next one of `others`. */
  Branch: LINE_BRANCH / Int32Array.BYTES_PER_ELEMENT,
  /** Row of the line's head in `heads`. */
  Head: LINE_HEAD / Int32Array.BYTES_PER_ELEMENT,
  Ns: LINE_NS / Int32Array.BYTES_PER_ELEMENT,
} as const;
export const LINE_COLUMNS = LINE_BYTES / Int32Array.BYTES_PER_ELEMENT;

export interface ReadLines {
  /** The text; valid until the next read, like everything here. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** LINE_COLUMNS per line. */
  readonly rows: Int32Array;
  readonly heads: readonly Head[];
  readonly others: readonly PerfLine[];
  /** The row of each of them. */
  readonly otherRows: readonly number[];
}

const RETURN = 13;

/** Returns a line without its line end; bytes as latin1 characters. */
export function lineText(bytes: Uint8Array, start: number, newline: number): string {
  const end = bytes[newline - 1] === RETURN && newline > start ? newline - 1 : newline;
  return latin1Text(bytes, start, end);
}
