/**
 * What the inputs saw of one thread on one processor: runs of events in, in any order, one lane out.
 */
import { FAR, FAR_LENGTH, farTime, NEAR_LENGTH } from '../model/event-run.js';
import type { Nanoseconds } from '../model/units.js';
import { type Place, runAt, type SharedEvents } from './event-memory.js';
import type { Lane } from './merge-lanes.js';

/** A step back this large is no jitter: what follows was recorded earlier, as in files joined in the wrong order. */
const LARGEST_JITTER_NS = 1_000_000;

/** Where one input's runs of a thread on a processor stand, in their order; plain data. */
export interface LaneRuns {
  readonly cpu: number;
  readonly input: string;
  readonly places: Place[];
  /** In numbers, of each run. */
  readonly lengths: number[];
}

/** The lane that the inputs' runs make, one piece behind the other by time, whatever order they came in. */
export function readLane(inputs: readonly LaneRuns[], shared: SharedEvents): Lane {
  const decoder = new Decoder(inputs);
  for (const { input, places, lengths } of inputs) {
    decoder.beginInput(input);
    for (let run = 0; run < places.length; run++)
      decoder.add(runAt(shared, places[run] as Place, lengths[run] as number));
  }
  return decoder.build((inputs[0] as LaneRuns).cpu);
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
  private length = 0;
  private readonly pieces: Piece[] = [];
  private input = '';

  constructor(inputs: readonly LaneRuns[]) {
    const numbers = inputs.reduce((sum, { lengths }) => lengths.reduce((all, length) => all + length, sum), 0);
    this.site = new Uint32Array(numbers / NEAR_LENGTH); // a little more than is needed: a far event is counted twice
    this.timeNs = new Float64Array(numbers / NEAR_LENGTH);
  }

  beginInput(input: string): void {
    this.endPiece();
    this.input = input;
    this.pieces.push({ input, start: this.length, end: this.length });
  }

  add(run: Int32Array): void {
    const { site, timeNs } = this;
    let row = this.length;
    let lastNs: Nanoseconds = this.isPieceBegun() ? timeNs[row - 1] : Number.NEGATIVE_INFINITY;
    for (let at = 0; at < run.length; at += NEAR_LENGTH) {
      const isFar = run[at] === FAR;
      const atNs = isFar ? farTime(run, at) : lastNs + run[at + 1];
      site[row] = isFar ? run[at + 1] : run[at];
      timeNs[row] = atNs;
      if (atNs < lastNs - LARGEST_JITTER_NS) this.breakAt(row);
      lastNs = atNs;
      row++;
      if (isFar) at += FAR_LENGTH - NEAR_LENGTH;
    }
    this.length = row;
  }

  build(cpu: number): Lane {
    this.endPiece();
    const { length, site, timeNs } = this;
    const pieces = this.pieces.filter(({ start, end }) => end > start);
    const lane = { cpu, length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length) };
    const ordered = pieces.toSorted((a, b) => this.byTimeThenInput(a, b));
    return ordered.every((piece, index) => piece === pieces[index]) ? lane : reordered(lane, ordered);
  }

  private isPieceBegun(): boolean {
    return this.length > (this.pieces.at(-1) as Piece).start;
  }

  private breakAt(row: number): void {
    (this.pieces.at(-1) as Piece).end = row;
    this.pieces.push({ input: this.input, start: row, end: row });
  }

  private endPiece(): void {
    const last = this.pieces.at(-1);
    if (last) last.end = this.length;
  }

  private byTimeThenInput(a: Piece, b: Piece): number {
    const { timeNs } = this;
    const byTime = timeNs[a.start] - timeNs[b.start] || timeNs[a.end - 1] - timeNs[b.end - 1];
    return byTime || (a.input === b.input ? 0 : a.input < b.input ? -1 : 1);
  }
}

function reordered(lane: Lane, pieces: readonly Piece[]): Lane {
  const site = new Uint32Array(lane.length);
  const timeNs = new Float64Array(lane.length);
  let row = 0;
  for (const { start, end } of pieces) {
    site.set(lane.site.subarray(start, end), row);
    timeNs.set(lane.timeNs.subarray(start, end), row);
    row += end - start;
  }
  return { ...lane, site, timeNs };
}
