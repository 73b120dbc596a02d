/**
 * Parses whole lines into chunks of events and records, and counts what became of each line.
 */
import { latin1Text } from '../codec/bytes.js';
import { isPossibleTime } from '../model/limits.js';
import { type DamagedLine, type LineCounts, noLines } from '../model/profile/profile.js';
import { OtherSampleCounts } from '../model/sample-table.js';
import type { PerfTime } from '../model/trace/perf-time.js';
import type { Mapping, ThreadName, TraceChunk, TraceRecord } from '../model/trace/trace-chunk.js';
import { idleName, type Nanoseconds, NONE, type SiteId, type Tid } from '../model/units.js';
import { fromLatin1 } from './intern.js';
import { LINE_COLUMNS, Line, lineText, OVERLONG, type ReadLines, runsIn } from './line-reader.js';
import type { Head } from './lines/line-prefix.js';
import { FAR_TIME, NO_FLAGS, threadOf } from './lines/perf-line.js';
import { edgeOf, type PerfLine, type Prefix } from './lines/perf-line-types.js';
import {
  addError,
  addSideband,
  ChunkBuilder,
  type ErrorLine,
  isBeforeRecording,
  type SampleLine,
  type SidebandLine,
  TextSamples,
  ThreadNames,
} from './pieces/chunk-builder.js';
import {
  MAX_DAMAGED_SHOWN,
  MAX_SHOWN_LENGTH,
  type StandalonePiece,
  standalonePiece,
} from './pieces/standalone-piece.js';
import { HeldEvent, MAX_STEP_BACK_NS, TimeGuard } from './pieces/time-guard.js';
import type { ReaderSites, TraceContext } from './trace-context.js';
import { OTHER } from './wasm/layout.js';

type BranchLine = Extract<PerfLine, { type: 'branch' }>;

const NEWLINE = 10;
const NO_TIME = 'no time, unlike the lines around it';
const BAD_TIME = 'its time does not fit the lines around it';
/** A first or last event further than this from its neighbour has a garbled time. */
const MAX_WAIT_SECONDS = 3600;
/** Text of samples alone never has a second branch. */
const MAX_EARLY = 65_536;

/** Parses one input piece by piece. */
export class TraceParser {
  readonly counts = noLines();
  readonly samples = new TextSamples();
  otherSamples = new OtherSampleCounts();
  private readonly damagedLines: DamagedLines;
  private guard = new TimeGuard();
  private readonly held = new HeldEvent();
  /** Time of the current line. */
  private readonly time = { seconds: 0, ns: 0 };
  /** The bytes being parsed. */
  private bytes: Uint8Array = new Uint8Array();
  /** Time of the held event, if that is the first. */
  private firstTime: PerfTime | null = null;
  /** Records before the second branch, waiting for it; null afterwards. */
  private early: (() => void)[] | null = [];
  /** Without the held event. */
  private readonly threadLastNs = new Map<Tid, Nanoseconds>();
  private readonly chunk = new ChunkBuilder();
  private readonly names = new ThreadNames(this.chunk);

  constructor(
    private readonly context: TraceContext,
    input: string,
  ) {
    this.damagedLines = new DamagedLines(input);
  }

  /** The first damaged lines. */
  get damaged(): readonly DamagedLine[] {
    return this.damagedLines.shown;
  }

  /**
   * Parses whole lines, each with its newline. The chunk is valid until the next call of any method that returns one.
   */
  parse(bytes: Uint8Array): TraceChunk {
    const { reader, readerSites, originSeconds } = this.context;
    const lines = reader.read(bytes);
    const piece = originSeconds !== null && standalonePiece(reader, lines, originSeconds);
    if (piece && this.accepts(piece)) return this.addStandalone(piece);
    readerSites.update();
    return this.parseLines(lines, readerSites);
  }

  /** True once times are known to be present, and from which second they count: then workers may read what follows. */
  get isSettled(): boolean {
    return this.early === null && this.context.timed > 0 && this.context.timeless === 0;
  }

  get originSeconds(): number {
    return this.context.originSeconds ?? 0;
  }

  /** Returns whether a standalone piece continues what was parsed so far. */
  accepts({ firstNs }: StandalonePiece): boolean {
    const { held, guard } = this;
    return this.isSettled && held.isHeld && guard.isInOrder && !(firstNs < held.timeNs - MAX_STEP_BACK_NS);
  }

  /** Adds an accepted piece. `sites`: of the reader that has read it. */
  addStandalone(piece: StandalonePiece, sites: ReaderSites = this.context.readerSites): TraceChunk {
    const { chunk, counts, held, context } = this;
    sites.update();
    for (const { line, text, reason } of piece.damaged) this.damagedLines.show(counts.lines + line, text, reason);
    context.flagless += piece.flagless;
    context.timed += piece.counts.events;
    for (const record of piece.records) chunk.addRecord(record);
    for (const mapping of piece.mappings) chunk.addMapping(mapping);
    for (const name of piece.names) this.addName(name);
    this.samples.append(piece.samples, piece.sampleLines);
    this.otherSamples.addAll(piece.otherSamples);
    const { last, branches } = piece;
    if (last && branches) {
      this.confirmHeld();
      this.guard.continueFrom(Number.isNaN(last.beforeNs) ? held.timeNs : last.beforeNs, last.timeNs);
      sites.renumber(branches.events);
      const runs = runsIn(branches);
      chunk.addEvents({ ...branches, runs });
      for (const { tid, lastNs } of runs.toSorted((a, b) => a.lastRow - b.lastRow)) this.threadLastNs.set(tid, lastNs);
      held.set(last.tid, last.cpu, sites.siteOf(last.branch), last.timeNs, counts.lines + last.line, 0);
      held.text = last.text;
    }
    for (const kind of Object.keys(counts) as (keyof LineCounts)[]) counts[kind] += piece.counts[kind];
    return chunk.build();
  }

  /** Parses line by line. */
  private parseLines({ bytes, length, rows, heads, others }: ReadLines, sites: ReaderSites): TraceChunk {
    this.bytes = bytes;
    let other = 0;
    for (let row = 0; row < length; row++) {
      this.counts.lines++;
      const at = row * LINE_COLUMNS;
      const start = rows[at + Line.Start];
      const branch = rows[at + Line.Branch];
      if (branch === OTHER) this.parseOther(others[other++], start);
      else this.addBranch(heads[rows[at + Line.Head]], rows[at + Line.Ns], sites.siteOf(branch), start);
    }
    this.holdText();
    return this.chunk.build();
  }

  private addBranch(head: Head, ns: number, site: SiteId, start: number): void {
    const { context, counts, time } = this;
    const { tid, cpu, seconds } = head;
    time.seconds = seconds;
    time.ns = ns;
    if (this.early) this.checkFirst({ ...time });
    const fault = this.timeFault(time);
    if (fault !== null) return this.addDamaged(counts.lines, this.lineAt(start), fault);
    counts.events++;
    this.hold(tid, cpu, site, context.timeOf(time), start);
    this.names.addHead(head, this.held.timeNs);
  }

  /** Returns the line that begins at `start`, without its line end. */
  private lineAt(start: number): string {
    return lineText(this.bytes, start, this.bytes.indexOf(NEWLINE, start));
  }

  /** Ends the input. The rest may be a line without a newline: its last word may be cut off, so it is not used. */
  finish(rest: Uint8Array): TraceChunk {
    if (rest.length > 0) {
      this.counts.lines++;
      const text = latin1Text(rest);
      this.addDamaged(this.counts.lines, text, 'the last line has no newline: it may be cut');
    }
    const { held, guard } = this;
    if (held.isHeld && guard.isLastOutlier(MAX_WAIT_SECONDS * 1e9)) this.dropHeld(BAD_TIME);
    else if (held.isHeld) this.chunk.addEvent(held.tid, held.cpu, held.site, held.timeNs);
    held.isHeld = false;
    this.addEarly();
    return this.chunk.build();
  }

  /** Takes samples of other events out of the counts: a recording has them, and perf prints some more than once. */
  forgetOtherSamples(): void {
    const lines = this.otherSamples.build().reduce((sum, { samples }) => sum + samples, 0);
    this.counts.lines -= lines;
    this.counts.ignoredLines -= lines;
    this.otherSamples = new OtherSampleCounts();
  }

  /** Adds lines that were dropped for their length. */
  addOverlong(count: number): void {
    for (let i = 0; i < count; i++) this.addDamaged(++this.counts.lines, '', OVERLONG);
  }

  private parseOther(line: PerfLine, start: number): void {
    switch (line.type) {
      case 'branch':
        return this.parseBranch(line, start);
      case 'error':
        return this.whenTimed(line.time, start, () => this.addErrorLine(line));
      case 'sideband':
        return this.whenTimed(line.prefix.time, start, () => this.addSidebandLine(line));
      case 'sample':
        return this.whenTimed(line.prefix.time, start, () => this.addSample(line));
      case 'other':
        this.otherSamples.add(line.event);
        this.counts.ignoredLines++;
        return;
      case 'ignored':
        this.counts.ignoredLines++;
        return;
      case 'damaged':
        if (line.reason === NO_FLAGS) this.context.flagless++;
        this.addDamaged(this.counts.lines, line.reason === OVERLONG ? '' : this.lineAt(start), line.reason);
    }
  }

  private parseBranch(line: BranchLine, start: number): void {
    const { prefix, flags } = line;
    const { time } = prefix;
    const tid = threadOf(line);
    if (tid === null || flags.notTaken) {
      this.counts.ignoredLines++;
      return;
    }
    if (this.early) this.checkFirst(time);
    const fault = this.timeFault(time);
    if (fault !== null) return this.addDamaged(this.counts.lines, this.lineAt(start), fault);
    if (flags.unknown !== null) this.context.unknownFlags.add(flags.unknown);
    this.counts.events++;
    const site = this.context.interner.site(flags.kind, edgeOf(flags.kind, flags.edge), line.from, line.to);
    const timeNs = time ? this.context.timeOf(time) : 0;
    this.hold(tid, prefix.cpu ?? NONE, site, timeNs, start);
    if (tid === prefix.tid) this.addBranchName(prefix, timeNs);
    else this.names.add({ tid, pid: 0, comm: idleName(prefix.cpu ?? NONE), parent: null, timeNs });
  }

  /** Drops a first event far from the second: no line before it could contradict its time. */
  private checkFirst(time: PerfTime | null): void {
    const { held, firstTime, context } = this;
    if (this.counts.events === 0) this.firstTime = time;
    else this.firstTime = null;
    if (!held.isHeld || firstTime === null || time === null) return;
    if (Math.abs(firstTime.seconds - time.seconds) < MAX_WAIT_SECONDS) return;
    this.dropHeld(BAD_TIME);
    this.guard = new TimeGuard();
    this.firstTime = time;
    if (context.timed-- === 1) context.originSeconds = null; // it was the only one and had set the origin
  }

  /** Returns what is wrong with the time of a branch, or null; then the branch is counted. */
  private timeFault(time: PerfTime | null): string | null {
    if (time !== null && !this.isNear(time)) return FAR_TIME;
    return this.fitsTiming(time) ? null : NO_TIME;
  }

  private isNear(time: PerfTime): boolean {
    return this.context.originSeconds === null || isPossibleTime(this.context.timeOf(time));
  }

  /** All branches of a trace have a time, or none has. Drops a first line that lost its time. */
  private fitsTiming(time: PerfTime | null): boolean {
    const { context } = this;
    if (time !== null && context.timed === 0 && context.timeless === 1 && this.held.isHeld) {
      this.dropHeld(NO_TIME);
      context.timeless = 0;
    }
    const fits = time === null ? context.timed === 0 : context.timeless === 0;
    if (fits && time === null) context.timeless++;
    else if (fits) context.timed++;
    return fits;
  }

  /** Holds an event until the next one confirms its time; `start` is the offset of its line. */
  private hold(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds, start: number): void {
    const { held } = this;
    if (this.guard.contradicts(timeNs) && held.isHeld) this.dropHeld(BAD_TIME);
    else if (held.isHeld) this.confirmHeld();
    if (this.early && held.isHeld) this.addEarly();
    held.set(tid, cpu, site, timeNs, this.counts.lines, start);
  }

  /** Adds the held event. Dropped events never get here, wherever the input is cut into pieces. */
  private confirmHeld(): void {
    const { held } = this;
    this.chunk.addEvent(held.tid, held.cpu, held.site, held.timeNs);
    this.threadLastNs.set(held.tid, held.timeNs);
  }

  private dropHeld(reason: string): void {
    const { held } = this;
    held.isHeld = false;
    this.counts.events--;
    this.addDamaged(held.line, held.text ?? this.lineAt(held.start), reason);
  }

  /** Copies the held line, which may still turn out to be damaged; the bytes belong to the caller. */
  private holdText(): void {
    const { held } = this;
    if (held.isHeld && held.text === null) held.text = this.lineAt(held.start).slice(0, MAX_SHOWN_LENGTH);
  }

  /** Adds a record, or delays it until the second branch: before that, the time of the input is unknown. */
  private whenTimed(time: PerfTime | null, start: number, add: () => void): void {
    const { early, counts } = this;
    if (early === null && (time === null || isBeforeRecording(time) || this.isNear(time))) return add();
    const line = counts.lines;
    const text = this.lineAt(start).slice(0, MAX_SHOWN_LENGTH);
    const addIfNear = () => {
      if (time === null || isBeforeRecording(time) || this.isNear(time)) add();
      else this.addDamaged(line, text, FAR_TIME);
    };
    if (early) early.push(addIfNear);
    else addIfNear();
    if (this.early && this.early.length >= MAX_EARLY) this.addEarly();
  }

  private addEarly(): void {
    const { early } = this;
    this.early = null;
    for (const record of early ?? []) record();
  }

  private addErrorLine(line: ErrorLine): void {
    this.counts.gapLines++;
    addError(line, line.time ? this.context.timeOf(line.time) : this.lastNsOf(line.tid), this);
  }

  /** Time of the thread's last event, or if it has none, of the last event of all. */
  private lastNsOf(tid: Tid): Nanoseconds {
    const { held } = this;
    return tid === held.tid ? held.timeNs : (this.threadLastNs.get(tid) ?? held.timeNs);
  }

  private addSidebandLine(line: SidebandLine): void {
    const { time } = line.prefix;
    this.counts.ignoredLines++;
    addSideband(line, time && !isBeforeRecording(time) ? this.context.timeOf(time) : this.held.timeNs, this);
  }

  private addSample(line: SampleLine): void {
    this.counts.ignoredLines++;
    this.samples.add(line, this.context.timeOf(line.prefix.time as PerfTime));
  }

  addRecord(record: TraceRecord): void {
    this.chunk.addRecord(record);
  }

  addMapping(mapping: Mapping): void {
    this.chunk.addMapping(mapping);
  }

  private addBranchName({ tid, pid, comm }: Prefix, timeNs: Nanoseconds): void {
    if (pid !== null || comm !== null) this.addName({ tid, pid, comm, parent: null, timeNs });
  }

  /** Adds a name; its `comm` is bytes as latin1 characters. */
  addName(name: ThreadName): void {
    this.names.add(name);
  }

  private addDamaged(line: number, text: string, reason: string): void {
    this.counts.damagedLines++;
    this.damagedLines.show(line, text, reason);
  }
}

/** Shows the first damaged lines of an input. */
class DamagedLines {
  readonly shown: DamagedLine[] = [];

  constructor(private readonly input: string) {}

  /** `line`: its number, from 1; `text`: bytes as latin1 characters. */
  show(line: number, text: string, reason: string): void {
    if (this.shown.length >= MAX_DAMAGED_SHOWN) return;
    this.shown.push({ input: this.input, line, text: fromLatin1(text.slice(0, MAX_SHOWN_LENGTH)), reason });
  }
}
