/**
 * Whole lines in, a chunk of events and records out; the counts say what became of each line.
 */
import { BranchKind, TraceEdge } from '../model/branch-sites.js';
import { type DamagedLine, noLines } from '../model/quality.js';
import type { ThreadName, TraceChunk } from '../model/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { ChunkBuilder, type ParsedEvent } from './chunk-builder.js';
import { copied, fromLatin1, Interner } from './intern.js';
import { LONGEST_LINE_BYTES } from './lines.js';
import { NO_FLAGS, type PerfLine, type PerfTime, type Prefix, parsePerfLine } from './perf-line.js';
import { TimeGuard } from './time-guard.js';
import { UnknownFlags } from './unknown-flags.js';

type BranchLine = Extract<PerfLine, { type: 'branch' }>;
type SidebandLine = Extract<PerfLine, { type: 'sideband' }>;
type RecordOf<What> = Extract<SidebandLine['record'], { what: What }>;
type ErrorLine = Extract<PerfLine, { type: 'error' }>;

interface Place {
  readonly cpu: number;
  readonly timeNs: Nanoseconds;
}

interface HeldEvent extends ParsedEvent {
  readonly line: number;
  readonly text: string;
}

const MOST_DAMAGED_SHOWN = 10;
const LONGEST_MESSAGE = 200;
const NO_TIME = 'no time, unlike the lines around it';
const BAD_TIME = 'its time does not fit the lines around it';
/** No thread is recorded so long and does so little. */
const LONGEST_WAIT_SECONDS = 3600;

/** Shared by all inputs of a trace: ids, the origin of time, and what is known so far. */
export class TraceVocabulary {
  readonly interner = new Interner();
  readonly unknownFlags = new UnknownFlags();
  /** perf's clock at our time 0, whole seconds; null before the first time. */
  originSeconds: number | null = null;
  /** Branches without a time, and with one: a trace has one kind or the other. */
  timeless = 0;
  timed = 0;
  flagless = 0;

  timeOf(time: PerfTime): Nanoseconds {
    this.originSeconds ??= time.seconds;
    return (time.seconds - this.originSeconds) * 1e9 + time.ns;
  }
}

/** Parses one input, piece by piece. */
export class TraceParser {
  readonly counts = noLines();
  readonly damaged: DamagedLine[] = [];
  private readonly words: TraceVocabulary;
  private readonly input: string;
  private guard = new TimeGuard();
  private held: HeldEvent | null = null;
  /** Of the held event, if it is the first. */
  private firstTime: PerfTime | null = null;
  private early: (() => void)[] | null = [];
  private lastNs: Nanoseconds = 0;
  private readonly lastNsOfThread = new Map<Tid, Nanoseconds>();
  private readonly nameOfThread = new Map<Tid, string>();
  private chunk = new ChunkBuilder();

  constructor(words: TraceVocabulary, input: string) {
    this.words = words;
    this.input = input;
  }

  /** `bytes`: whole lines, each with its newline. */
  parse(bytes: Uint8Array): TraceChunk {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (end - start > LONGEST_LINE_BYTES) this.addOverlong(1);
      else this.takeLine(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end));
      start = end + 1;
    }
    return this.takeChunk();
  }

  /** The rest of an input: perhaps a line without its newline, whose last word may be cut and is not used. */
  finish(rest: Uint8Array): TraceChunk {
    if (rest.length > 0) {
      this.counts.lines++;
      const text = Buffer.from(rest).toString('latin1');
      this.damage(this.counts.lines, text, 'the last line has no newline: it may be cut');
    }
    if (this.held) this.chunk.addEvent(this.held);
    this.held = null;
    this.takeEarly();
    return this.takeChunk();
  }

  /** Lines of which only the length is known. */
  addOverlong(count: number): void {
    for (let i = 0; i < count; i++) this.damage(++this.counts.lines, '', 'longer than any line of perf');
  }

  private takeLine(text: string): void {
    this.counts.lines++;
    const parsed: PerfLine = parsePerfLine(text);
    switch (parsed.type) {
      case 'branch':
        return this.takeBranch(parsed, text);
      case 'error':
        this.counts.gapLines++;
        return this.inTime(() => this.takeError(parsed));
      case 'sideband':
        this.counts.ignoredLines++;
        return this.inTime(() => this.takeSideband(parsed));
      case 'ignored':
        this.counts.ignoredLines++;
        return;
      case 'damaged':
        if (parsed.reason === NO_FLAGS) this.words.flagless++;
        this.damage(this.counts.lines, text, parsed.reason);
    }
  }

  private takeBranch(line: BranchLine, text: string): void {
    const { prefix, flags } = line;
    const { time, tid } = prefix;
    if (tid <= 0 || flags.notTaken) {
      this.counts.ignoredLines++;
      return;
    }
    this.doubtFirst(time);
    if (!this.fitsTiming(time)) return this.damage(this.counts.lines, text, NO_TIME);
    if (flags.unknown !== null) this.words.unknownFlags.add(flags.unknown);
    this.counts.events++;
    const site = this.words.interner.site(flags.kind, edgeOf(flags.kind, flags.edge), line.from, line.to);
    const timeNs = time ? this.words.timeOf(time) : 0;
    this.hold({ tid, cpu: prefix.cpu ?? NONE, site, timeNs, line: this.counts.lines, text });
    this.learnName(prefix, timeNs);
  }

  /** A first line has no line before it that could contradict it: only one that is far ahead of the second is garbled. */
  private doubtFirst(time: PerfTime | null): void {
    const { held, firstTime, words } = this;
    if (this.counts.events === 0) this.firstTime = time;
    else this.firstTime = null;
    if (held === null || firstTime === null || time === null) return;
    if (firstTime.seconds - time.seconds < LONGEST_WAIT_SECONDS) return;
    this.dropHeld(held, BAD_TIME);
    this.guard = new TimeGuard();
    this.firstTime = time;
    if (words.timed-- === 1) words.originSeconds = null; // it was the only one, and had set the origin
  }

  /** All branches of a trace have a time, or none has. A first line that lost its own decides nothing. */
  private fitsTiming(time: PerfTime | null): boolean {
    const { words } = this;
    if (time !== null && words.timed === 0 && words.timeless === 1 && this.held) {
      this.dropHeld(this.held, NO_TIME);
      words.timeless = 0;
    }
    const fits = time === null ? words.timed === 0 : words.timeless === 0;
    if (fits && time === null) words.timeless++;
    else if (fits) words.timed++;
    return fits;
  }

  private hold(event: HeldEvent): void {
    const { held } = this;
    if (this.guard.contradicts(event.timeNs) && held) this.dropHeld(held, BAD_TIME);
    else if (held) this.chunk.addEvent(held);
    if (held) this.takeEarly();
    this.held = event;
    this.lastNs = event.timeNs;
    this.lastNsOfThread.set(event.tid, event.timeNs);
  }

  private dropHeld({ line, text }: HeldEvent, reason: string): void {
    this.held = null;
    this.counts.events--;
    this.damage(line, text, reason);
  }

  /** Records before an input's second branch wait: what time it is there, only branches tell. */
  private inTime(record: () => void): void {
    if (this.early) this.early.push(record);
    else record();
  }

  private takeEarly(): void {
    const { early } = this;
    this.early = null;
    for (const record of early ?? []) record();
  }

  private takeError(line: ErrorLine): void {
    const { tid, pid, cpu, code, ip } = line;
    const timeNs = line.time ? this.words.timeOf(line.time) : (this.lastNsOfThread.get(tid) ?? this.lastNs);
    const message = fromLatin1(line.message.slice(0, LONGEST_MESSAGE));
    this.chunk.records.push({ what: 'gap', tid, cpu, timeNs, code, message, ip, pid });
  }

  private takeSideband({ prefix, record }: SidebandLine): void {
    const { time, tid } = prefix;
    const wasBefore = time !== null && isMadeUp(time);
    const at = { cpu: prefix.cpu ?? NONE, timeNs: time && !wasBefore ? this.words.timeOf(time) : this.lastNs };
    switch (record.what) {
      case 'switch':
        this.chunk.records.push({ what: 'switch', direction: record.direction, tid, ...at });
        return;
      case 'comm':
        return this.takeComm(record, at);
      case 'fork':
        return this.takeFork(record, at, wasBefore);
      case 'mmap':
        return this.takeMapping(record, wasBefore ? Number.NEGATIVE_INFINITY : at.timeNs);
      case 'other':
    }
  }

  private takeComm({ exec, name, tid, pid }: RecordOf<'comm'>, at: Place): void {
    this.addName({ tid, pid, comm: name, parent: null, timeNs: at.timeNs });
    if (exec) this.chunk.records.push({ what: 'exec', tid, pid, ...at });
  }

  /** Threads that were there before the recording have their names from such records, but did not begin now. */
  private takeFork({ tid, pid, parentPid, parent }: RecordOf<'fork'>, at: Place, wasBefore: boolean): void {
    if (!wasBefore) this.chunk.records.push({ what: 'fork', tid, pid, parentPid, ...at });
    this.addName({ tid, pid, comm: null, parent, timeNs: at.timeNs });
    this.addName({ tid: parent, pid: parentPid, comm: null, parent: null, timeNs: at.timeNs });
  }

  private takeMapping({ pid, start, length, file }: RecordOf<'mmap'>, timeNs: Nanoseconds): void {
    this.chunk.mappings.push({ pid, start, length, file: fromLatin1(file), timeNs });
  }

  private learnName({ tid, pid, comm }: Prefix, timeNs: Nanoseconds): void {
    if (pid !== null || comm !== null) this.addName({ tid, pid, comm, parent: null, timeNs });
  }

  /** `comm`: bytes as latin1 characters. */
  private addName(name: ThreadName): void {
    const text = `${name.pid}/${name.comm}`;
    if (this.nameOfThread.get(name.tid) === text) return;
    this.nameOfThread.set(name.tid, copied(text));
    this.chunk.names.push({ ...name, comm: name.comm === null ? null : fromLatin1(name.comm) });
  }

  private damage(line: number, text: string, reason: string): void {
    this.counts.damagedLines++;
    if (this.damaged.length >= MOST_DAMAGED_SHOWN) return;
    this.damaged.push({ input: this.input, line, text: fromLatin1(text.slice(0, 200)), reason });
  }

  private takeChunk(): TraceChunk {
    const { chunk } = this;
    this.chunk = new ChunkBuilder();
    return chunk.build();
  }
}

// What was there before the recording began, perf tells of at time 0, whatever its clock.
function isMadeUp({ seconds, ns }: PerfTime): boolean {
  return seconds === 0 && ns === 0;
}

// "async" has no target to go on from: it ends the trace, with or without perf saying so.
function edgeOf(kind: BranchKind, edge: TraceEdge): TraceEdge {
  return kind === BranchKind.Async && edge === TraceEdge.None ? TraceEdge.End : edge;
}
