/**
 * What the inputs saw of one thread on one processor: runs of events in, in any order, one lane out.
 */
import { FAR, FAR_LENGTH, farTime, NEAR_LENGTH } from '../../model/trace/event-run.js';
import type { Nanoseconds } from '../../model/units.js';
import { type RunAddress, runAt, type SharedEvents } from '../runs/event-memory.js';
import type { EventRows, Lane } from './lane-rows.js';

/** A step back this large is no jitter: what follows was recorded earlier, as in files joined in the wrong order. */
export const MAX_JITTER_NS = 1_000_000;

/** Where one input's runs of a thread on a processor stand, in their order; plain data. */
export interface LaneRuns {
  readonly cpu: number;
  readonly input: string;
  readonly addresses: RunAddress[];
  /** In numbers, of each run. */
  readonly lengths: number[];
}

/**
 * The lane that the inputs' runs make, one piece behind the other by time, whatever order they came in. It is laid into
 * `rows`, from row `start` on.
 */
export function readLane(inputs: readonly LaneRuns[], shared: SharedEvents, rows: EventRows, start: number): Lane {
  const decoder = new Decoder(rows, start);
  for (const { input, addresses, lengths } of inputs) {
    decoder.beginInput(input);
    for (let run = 0; run < addresses.length; run++) decoder.add(runAt(shared, addresses[run], lengths[run]));
  }
  return decoder.build(inputs[0].cpu);
}

/** A stretch of events without a large step back. */
interface Piece {
  readonly input: string;
  readonly start: number;
  end: number;
}

class Decoder {
  private readonly site: Uint32Array;
  private readonly timeNs: Float64Array;
  private readonly start: number;
  /** Behind the last row. */
  private end: number;
  private readonly pieces: Piece[] = [];
  private input = '';

  constructor({ site, timeNs }: EventRows, start: number) {
    this.site = site;
    this.timeNs = timeNs;
    this.start = start;
    this.end = start;
  }

  beginInput(input: string): void {
    this.endPiece();
    this.input = input;
    this.pieces.push({ input, start: this.end, end: this.end });
  }

  add(run: Int32Array): void {
    const { site, timeNs } = this;
    let row = this.end;
    let lastNs: Nanoseconds = this.isPieceBegun() ? timeNs[row - 1] : Number.NEGATIVE_INFINITY;
    for (let at = 0; at < run.length; at += NEAR_LENGTH) {
      const isFar = run[at] === FAR;
      const atNs = isFar ? farTime(run, at) : lastNs + run[at + 1];
      site[row] = isFar ? run[at + 1] : run[at];
      timeNs[row] = atNs;
      if (atNs < lastNs - MAX_JITTER_NS) this.breakAt(row);
      lastNs = atNs;
      row++;
      if (isFar) at += FAR_LENGTH - NEAR_LENGTH;
    }
    this.end = row;
  }

  build(cpu: number): Lane {
    this.endPiece();
    const { start, end } = this;
    const pieces = this.pieces.filter((piece) => piece.end > piece.start);
    const ordered = pieces.toSorted((a, b) => this.byTimeThenInput(a, b));
    if (ordered.some((piece, index) => piece !== pieces[index])) this.reorder(ordered);
    return { cpu, length: end - start, site: this.site.subarray(start, end), timeNs: this.timeNs.subarray(start, end) };
  }

  private reorder(pieces: readonly Piece[]): void {
    const site = this.site.slice(this.start, this.end);
    const timeNs = this.timeNs.slice(this.start, this.end);
    let row = this.start;
    for (const { start, end } of pieces) {
      this.site.set(site.subarray(start - this.start, end - this.start), row);
      this.timeNs.set(timeNs.subarray(start - this.start, end - this.start), row);
      row += end - start;
    }
  }

  private isPieceBegun(): boolean {
    return this.end > (this.pieces.at(-1) as Piece).start;
  }

  private breakAt(row: number): void {
    (this.pieces.at(-1) as Piece).end = row;
    this.pieces.push({ input: this.input, start: row, end: row });
  }

  private endPiece(): void {
    const last = this.pieces.at(-1);
    if (last) last.end = this.end;
  }

  private byTimeThenInput(a: Piece, b: Piece): number {
    const { timeNs } = this;
    const byTime = timeNs[a.start] - timeNs[b.start] || timeNs[a.end - 1] - timeNs[b.end - 1];
    return byTime || (a.input === b.input ? 0 : a.input < b.input ? -1 : 1);
  }
}
