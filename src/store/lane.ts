/**
 * What the inputs saw of one thread on one processor: pieces in any order in, one lane out.
 */
import { float64Column, uint32Column } from '../model/columns.js';
import type { Nanoseconds, SiteId } from '../model/units.js';
import type { Lane } from './merge-lanes.js';

/** A step back this large is no jitter: what follows was recorded earlier, as in files joined in the wrong order. */
const LARGEST_JITTER_NS = 1_000_000;

class Piece {
  readonly input: string;
  readonly site = uint32Column();
  readonly timeNs = float64Column();

  constructor(input: string) {
    this.input = input;
  }

  get firstNs(): Nanoseconds {
    return this.timeNs.values[0];
  }

  get lastNs(): Nanoseconds {
    return this.timeNs.values[this.timeNs.length - 1];
  }
}

export class LaneBuilder {
  private readonly cpu: number;
  private readonly pieces: Piece[] = [];
  private readonly openPiece = new Map<string, Piece>();
  private last: Piece | null = null;
  length = 0;

  constructor(cpu: number) {
    this.cpu = cpu;
  }

  add(input: string, site: SiteId, timeNs: Nanoseconds): void {
    let piece = this.last?.input === input ? this.last : this.openPiece.get(input);
    if (piece === undefined || timeNs < piece.lastNs - LARGEST_JITTER_NS) piece = this.begin(input);
    this.last = piece;
    this.length++;
    piece.site.push(site);
    piece.timeNs.push(timeNs);
  }

  private begin(input: string): Piece {
    const piece = new Piece(input);
    this.pieces.push(piece);
    this.openPiece.set(input, piece);
    return piece;
  }

  /** The pieces one behind the other by time, whatever order they came in; nothing can be added any more. */
  build(): Lane {
    const [first, ...others] = this.pieces.sort(byTimeThenInput);
    if (first === undefined) return { cpu: this.cpu, length: 0, site: new Uint32Array(), timeNs: new Float64Array() };
    for (const piece of others) append(first, piece);
    this.pieces.length = 1; // what was appended is not to be appended again
    return { cpu: this.cpu, length: first.site.length, site: first.site.taken(), timeNs: first.timeNs.taken() };
  }
}

function byTimeThenInput(a: Piece, b: Piece): number {
  return a.firstNs - b.firstNs || a.lastNs - b.lastNs || (a.input < b.input ? -1 : 1);
}

function append(to: Piece, piece: Piece): void {
  for (let row = 0; row < piece.site.length; row++) {
    to.site.push(piece.site.values[row]);
    to.timeNs.push(piece.timeNs.values[row]);
  }
}
