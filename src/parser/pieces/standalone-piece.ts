/**
 * Builds standalone pieces, which mean the same whatever precedes them: every branch has a time, no time steps back,
 * and no record depends on an earlier line. Most pieces are standalone, so workers can read them in any order.
 */
import { isPossibleTime } from '../../model/limits.js';
import { type LineCounts, noLines } from '../../model/profile/profile.js';
import type { SampleTable } from '../../model/sample-table.js';
import { OtherSampleCounts, type OtherSamples } from '../../model/sample-table.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Mapping, ThreadName, TraceRecord } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import {
  type GroupedBranches,
  LINE_COLUMNS,
  Line,
  type LineReader,
  lineText,
  OVERLONG,
  type ReadLines,
} from '../line-reader.js';
import { type Head, NOT_PRINTED } from '../lines/line-prefix.js';
import { NO_FLAGS, threadOf } from '../lines/perf-line.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import { OTHER } from '../wasm/layout.js';
import { addError, addSideband, isBeforeRecording, nameOf, type SampleLine, TextSamples } from './chunk-builder.js';
import { MAX_STEP_BACK_NS } from './time-guard.js';

/** A damaged line; `line` counts from 1 in the piece, `text` is bytes as latin1 characters. */
export interface DamagedInPiece {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** The last branch: the next piece may still contradict its time. */
export interface LastBranch {
  readonly tid: Tid;
  readonly cpu: number;
  /** Its number in the piece's reader. */
  readonly branch: number;
  readonly timeNs: Nanoseconds;
  /** Time of the previous branch; NaN if it is the first. */
  readonly beforeNs: Nanoseconds;
  readonly line: number;
  readonly text: string;
}

export interface StandalonePiece {
  readonly counts: LineCounts;
  readonly flagless: number;
  readonly damaged: readonly DamagedInPiece[];
  readonly records: readonly TraceRecord[];
  /** With `comm` as latin1 characters. */
  readonly names: readonly ThreadName[];
  readonly mappings: readonly Mapping[];
  readonly samples: readonly SampleTable[];
  readonly sampleLines: number;
  readonly otherSamples: readonly OtherSamples[];
  /** Time of the first branch; NaN if there is none. */
  readonly firstNs: Nanoseconds;
  readonly last: LastBranch | null;
  /** All branches but the last. */
  readonly branches: GroupedBranches | null;
}

const NEWLINE = 10;
export const MAX_DAMAGED_SHOWN = 10;
export const MAX_SHOWN_LENGTH = 200;

/** Builds the piece from the lines just read; null if it is not standalone. */
export function standalonePiece(reader: LineReader, lines: ReadLines, originSeconds: number): StandalonePiece | null {
  const piece = new PieceBuilder(lines, originSeconds);
  return piece.addOthers() && piece.addPrintedNames() ? piece.build(reader) : null;
}

class PieceBuilder {
  private readonly counts = noLines();
  private flagless = 0;
  private readonly damaged: DamagedInPiece[] = [];
  private readonly records: TraceRecord[] = [];
  private readonly names: ThreadName[] = [];
  private readonly mappings: Mapping[] = [];
  private readonly samples = new TextSamples();
  private readonly otherSamples = new OtherSampleCounts();
  /** Row of the last branch before the current line, or NONE. */
  private branchRow: number = NONE;

  constructor(
    private readonly lines: ReadLines,
    private readonly originSeconds: number,
  ) {
    this.counts.lines = lines.length;
    this.counts.events = lines.length - lines.others.length;
  }

  /** Adds the lines that are not known branches. Returns false if one of them depends on earlier lines. */
  addOthers(): boolean {
    const { others, otherRows } = this.lines;
    return others.every((line, index) => {
      const row = otherRows[index];
      if (row > 0 && this.branchOf(row - 1) !== OTHER) this.branchRow = row - 1;
      return this.addOther(line, row);
    });
  }

  private addOther(line: PerfLine, row: number): boolean {
    const { counts } = this;
    if (line.type === 'damaged') return this.addDamaged(row, line.reason);
    if (line.type === 'error') {
      counts.gapLines++;
      if (line.time === null || !isPossibleTime(this.timeOf(line.time))) return false;
      addError(line, this.timeOf(line.time), this);
      return true;
    }
    counts.ignoredLines++;
    if (line.type === 'branch') return threadOf(line) === null || line.flags.notTaken;
    if (line.type === 'other') this.otherSamples.add(line.event);
    if (line.type === 'ignored' || line.type === 'other') return true;
    const { time } = line.prefix;
    if (line.type === 'sample') return time !== null && this.addSample(line, this.timeOf(time));
    const isKnown = time !== null && !isBeforeRecording(time);
    const timeNs = isKnown ? this.timeOf(time) : this.rowTime(this.branchRow);
    if (!isPossibleTime(timeNs)) return false; // also if NaN
    addSideband(line, timeNs, this);
    return true;
  }

  private addSample(line: SampleLine, timeNs: Nanoseconds): boolean {
    if (!isPossibleTime(timeNs)) return false;
    this.samples.add(line, timeNs);
    return true;
  }

  private addDamaged(row: number, reason: string): boolean {
    this.counts.damagedLines++;
    if (reason === NO_FLAGS) this.flagless++;
    if (this.damaged.length < MAX_DAMAGED_SHOWN)
      this.damaged.push({ line: row + 1, text: reason === OVERLONG ? '' : this.textOf(row), reason });
    return true;
  }

  addRecord(record: TraceRecord): void {
    this.records.push(record);
  }

  addName(name: ThreadName): void {
    this.names.push(name);
  }

  addMapping(mapping: Mapping): void {
    this.mappings.push(mapping);
  }

  /**
   * Adds what lines print of each thread: its process id, its name. Returns false if a thread has two, or if a record names
   * it, too: then the order of the lines decides.
   */
  addPrintedNames(): boolean {
    const { heads, rows } = this.lines;
    if (heads.every(({ pid, comm }) => pid === NOT_PRINTED && comm === null)) return true;
    const isSeen = new Uint8Array(heads.length);
    const printed = new Map<Tid, Head>();
    const named = new Set(this.names.map(({ tid }) => tid));
    for (let row = 0; row < this.lines.length; row++) {
      const at = rows[row * LINE_COLUMNS + Line.Head];
      if (isSeen[at] === 1 || this.branchOf(row) === OTHER) continue;
      isSeen[at] = 1;
      const head = heads[at];
      const known = printed.get(head.tid);
      if (known !== undefined && (known.pid !== head.pid || known.comm !== head.comm)) return false;
      if (known !== undefined || (head.pid === NOT_PRINTED && head.comm === null)) continue;
      if (named.has(head.tid)) return false;
      printed.set(head.tid, head);
      this.addName({ ...nameOf(head), timeNs: this.rowTime(row) });
    }
    return true;
  }

  build(reader: LineReader): StandalonePiece | null {
    const { counts, flagless, damaged, records, names, mappings } = this;
    const samples = { samples: this.samples.build(), sampleLines: this.samples.lines };
    const otherSamples = this.otherSamples.build();
    const all = { counts, flagless, damaged, records, names, mappings, ...samples, otherSamples };
    const lastRow = this.branchBefore(this.lines.length);
    if (lastRow === NONE) return { ...all, firstNs: Number.NaN, last: null, branches: null };
    const before = this.branchBefore(lastRow);
    if (before !== NONE && this.rowTime(lastRow) < this.rowTime(before) - MAX_STEP_BACK_NS) return null;
    if (!isPossibleTime(this.rowTime(lastRow))) return null;
    const branches = reader.group(lastRow, this.originSeconds);
    return branches && { ...all, firstNs: this.firstNs(), last: this.lastBranch(lastRow, before), branches };
  }

  private lastBranch(row: number, before: number): LastBranch {
    const { heads, rows } = this.lines;
    const { tid, cpu } = heads[rows[row * LINE_COLUMNS + Line.Head]];
    const text = this.textOf(row).slice(0, MAX_SHOWN_LENGTH);
    const times = { timeNs: this.rowTime(row), beforeNs: this.rowTime(before) };
    return { tid, cpu, branch: this.branchOf(row), ...times, line: row + 1, text };
  }

  private firstNs(): Nanoseconds {
    let row = 0;
    while (this.branchOf(row) === OTHER) row++;
    return this.rowTime(row);
  }

  private branchBefore(row: number): number {
    let before = row - 1;
    while (before >= 0 && this.branchOf(before) === OTHER) before--;
    return before; // −1 is NONE
  }

  private branchOf(row: number): number {
    return this.lines.rows[row * LINE_COLUMNS + Line.Branch];
  }

  /** Returns NaN for NONE. */
  private rowTime(row: number): Nanoseconds {
    if (row === NONE) return Number.NaN;
    const { heads, rows } = this.lines;
    const seconds = heads[rows[row * LINE_COLUMNS + Line.Head]]?.seconds;
    return this.timeOf({ seconds, ns: rows[row * LINE_COLUMNS + Line.Ns] });
  }

  private timeOf({ seconds, ns }: PerfTime): Nanoseconds {
    return (seconds - this.originSeconds) * 1e9 + ns;
  }

  private textOf(row: number): string {
    const start = this.lines.rows[row * LINE_COLUMNS + Line.Start];
    const { bytes } = this.lines;
    return lineText(bytes, start, bytes.indexOf(NEWLINE, start));
  }
}
