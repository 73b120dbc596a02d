/**
 * Whole lines in, a chunk of events and records out; the counts say what became of each line.
 */
import { type DamagedLine, noLines } from '../model/quality.js';
import type { ThreadName, TraceChunk } from '../model/trace-chunk.js';
import { type Nanoseconds, NONE, type SiteId, type Tid } from '../model/units.js';
import { ChunkBuilder } from './chunk-builder.js';
import { HeldEvent } from './held-event.js';
import { copied, fromLatin1, Interner } from './intern.js';
import { NOT_PRINTED } from './line-prefix.js';
import { edgeOf, LineReader, lineText, OTHER, OVERLONG, type ReadLines } from './line-reader.js';
import { NO_FLAGS, type PerfLine, type PerfTime, type Prefix } from './perf-line.js';
import { SitesOfReader } from './sites-of-reader.js';
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

const MOST_DAMAGED_SHOWN = 10;
const MOST_TEXT = 200;
const NEWLINE = 10;
const LONGEST_MESSAGE = 200;
const NO_TIME = 'no time, unlike the lines around it';
const BAD_TIME = 'its time does not fit the lines around it';
/** No thread is recorded so long and does so little. */
const LONGEST_WAIT_SECONDS = 3600;

/** Shared by all inputs of a trace: ids, the origin of time, and what is known so far. */
export class TraceVocabulary {
  readonly interner = new Interner();
  /** Reads what is parsed right here. */
  readonly reader = new LineReader();
  readonly sitesOfReader = new SitesOfReader(this.interner);
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
  private readonly held = new HeldEvent();
  /** Of the line that is taken. */
  private readonly time = { seconds: 0, ns: 0 };
  /** What is parsed now. */
  private bytes: Uint8Array = new Uint8Array();
  /** Of the held event, if it is the first. */
  private firstTime: PerfTime | null = null;
  private early: (() => void)[] | null = [];
  /** Of threads before they were left for another one. */
  private readonly lastNsOfThread = new Map<Tid, Nanoseconds>();
  /** The thread whose pid is known to be learned. */
  private learnedTid: Tid = NONE;
  private learnedPid = NONE;
  private readonly nameOfThread = new Map<Tid, string>();
  private readonly chunk = new ChunkBuilder();

  constructor(words: TraceVocabulary, input: string) {
    this.words = words;
    this.input = input;
  }

  /** `bytes`: whole lines, each with its newline. */
  parse(bytes: Uint8Array): TraceChunk {
    const { reader, sitesOfReader } = this.words;
    const lines = reader.read(bytes);
    sitesOfReader.hear(lines.newBranches);
    return this.take(bytes, lines, sitesOfReader.of(lines));
  }

  /** `lines`: what a reader made of these bytes; `sites`: of that reader's branches, by their numbers. */
  take(bytes: Uint8Array, lines: ReadLines, sites: Uint32Array): TraceChunk {
    const { branch, start } = lines;
    this.bytes = bytes;
    let other = 0;
    for (let row = 0; row < lines.length; row++) {
      this.counts.lines++;
      if (branch[row] === OTHER) this.takeOther(lines.others[other++] as PerfLine, start[row]);
      else this.takeKnown(lines, row, sites[branch[row]]);
    }
    this.holdText();
    return this.chunk.build();
  }

  private takeKnown({ tid, pid, cpu, seconds, ns, start }: ReadLines, row: number, site: SiteId): void {
    const { words, counts, time } = this;
    time.seconds = seconds[row];
    time.ns = ns[row];
    if (this.early) this.doubtFirst({ ...time });
    if (!this.fitsTiming(time)) return this.damage(counts.lines, this.lineAt(start[row]), NO_TIME);
    counts.events++;
    this.hold(tid[row], cpu[row], site, words.timeOf(time), start[row]);
    if (pid[row] !== NOT_PRINTED) this.learnPid(tid[row], pid[row]);
  }

  /** The line that begins there, without its end. */
  private lineAt(start: number): string {
    return lineText(this.bytes, start, this.bytes.indexOf(NEWLINE, start));
  }

  /** The rest of an input: perhaps a line without its newline, whose last word may be cut and is not used. */
  finish(rest: Uint8Array): TraceChunk {
    if (rest.length > 0) {
      this.counts.lines++;
      const text = Buffer.from(rest).toString('latin1');
      this.damage(this.counts.lines, text, 'the last line has no newline: it may be cut');
    }
    const { held } = this;
    if (held.isHeld) this.chunk.addEvent(held.tid, held.cpu, held.site, held.timeNs);
    held.isHeld = false;
    this.takeEarly();
    return this.chunk.build();
  }

  /** Lines of which only the length is known. */
  addOverlong(count: number): void {
    for (let i = 0; i < count; i++) this.damage(++this.counts.lines, '', OVERLONG);
  }

  private takeOther(line: PerfLine, start: number): void {
    switch (line.type) {
      case 'branch':
        return this.takeBranch(line, start);
      case 'error':
        this.counts.gapLines++;
        return this.inTime(() => this.takeError(line));
      case 'sideband':
        this.counts.ignoredLines++;
        return this.inTime(() => this.takeSideband(line));
      case 'ignored':
        this.counts.ignoredLines++;
        return;
      case 'damaged':
        if (line.reason === NO_FLAGS) this.words.flagless++;
        this.damage(this.counts.lines, line.reason === OVERLONG ? '' : this.lineAt(start), line.reason);
    }
  }

  private takeBranch(line: BranchLine, start: number): void {
    const { prefix, flags } = line;
    const { time, tid } = prefix;
    if (tid <= 0 || flags.notTaken) {
      this.counts.ignoredLines++;
      return;
    }
    if (this.early) this.doubtFirst(time);
    if (!this.fitsTiming(time)) return this.damage(this.counts.lines, this.lineAt(start), NO_TIME);
    if (flags.unknown !== null) this.words.unknownFlags.add(flags.unknown);
    this.counts.events++;
    const site = this.words.interner.site(flags.kind, edgeOf(flags.kind, flags.edge), line.from, line.to);
    const timeNs = time ? this.words.timeOf(time) : 0;
    this.hold(tid, prefix.cpu ?? NONE, site, timeNs, start);
    this.learnName(prefix, timeNs);
  }

  /** A first line has no line before it that could contradict it: only one that is far ahead of the second is garbled. */
  private doubtFirst(time: PerfTime | null): void {
    const { held, firstTime, words } = this;
    if (this.counts.events === 0) this.firstTime = time;
    else this.firstTime = null;
    if (!held.isHeld || firstTime === null || time === null) return;
    if (firstTime.seconds - time.seconds < LONGEST_WAIT_SECONDS) return;
    this.dropHeld(BAD_TIME);
    this.guard = new TimeGuard();
    this.firstTime = time;
    if (words.timed-- === 1) words.originSeconds = null; // it was the only one, and had set the origin
  }

  /** All branches of a trace have a time, or none has. A first line that lost its own decides nothing. */
  private fitsTiming(time: PerfTime | null): boolean {
    const { words } = this;
    if (time !== null && words.timed === 0 && words.timeless === 1 && this.held.isHeld) {
      this.dropHeld(NO_TIME);
      words.timeless = 0;
    }
    const fits = time === null ? words.timed === 0 : words.timeless === 0;
    if (fits && time === null) words.timeless++;
    else if (fits) words.timed++;
    return fits;
  }

  /** Holds an event back until the next one has confirmed its time; `start`: of its line in the bytes. */
  private hold(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds, start: number): void {
    const { held } = this;
    if (this.guard.contradicts(timeNs) && held.isHeld) this.dropHeld(BAD_TIME);
    else if (held.isHeld) this.chunk.addEvent(held.tid, held.cpu, held.site, held.timeNs);
    if (this.early && held.isHeld) this.takeEarly();
    if (tid !== held.tid && held.tid !== NONE) this.lastNsOfThread.set(held.tid, held.timeNs);
    held.set(tid, cpu, site, timeNs, this.counts.lines, start);
  }

  private dropHeld(reason: string): void {
    const { held } = this;
    held.isHeld = false;
    this.counts.events--;
    this.damage(held.line, held.text ?? this.lineAt(held.start), reason);
  }

  /** The bytes are the caller's, and go; the line that is held may still turn out to be damaged. */
  private holdText(): void {
    const { held } = this;
    if (held.isHeld && held.text === null) held.text = this.lineAt(held.start).slice(0, MOST_TEXT);
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

  /** When a thread was seen last, or anything was. */
  private lastNsOf(tid: Tid): Nanoseconds {
    const { held } = this;
    return tid === held.tid ? held.timeNs : (this.lastNsOfThread.get(tid) ?? held.timeNs);
  }

  private takeError(line: ErrorLine): void {
    const { tid, pid, cpu, code, ip } = line;
    const timeNs = line.time ? this.words.timeOf(line.time) : this.lastNsOf(tid);
    const message = fromLatin1(line.message.slice(0, LONGEST_MESSAGE));
    this.chunk.records.push({ what: 'gap', tid, cpu, timeNs, code, message, ip, pid });
  }

  private takeSideband({ prefix, record }: SidebandLine): void {
    const { time, tid } = prefix;
    const wasBefore = time !== null && isMadeUp(time);
    const at = { cpu: prefix.cpu ?? NONE, timeNs: time && !wasBefore ? this.words.timeOf(time) : this.held.timeNs };
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

  private learnPid(tid: Tid, pid: number): void {
    if (tid === this.learnedTid && pid === this.learnedPid) return;
    this.learnedTid = tid;
    this.learnedPid = pid;
    this.addName({ tid, pid, comm: null, parent: null, timeNs: this.held.timeNs });
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
    this.damaged.push({ input: this.input, line, text: fromLatin1(text.slice(0, MOST_TEXT)), reason });
  }
}

// What was there before the recording began, perf tells of at time 0, whatever its clock.
function isMadeUp({ seconds, ns }: PerfTime): boolean {
  return seconds === 0 && ns === 0;
}
