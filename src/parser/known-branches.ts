/**
 * The branches that all readers of a trace know, in the memory that their modules share.
 */

import { latin1Text } from '../codec/bytes.js';
import type { BranchKind, TraceEdge } from '../model/trace/branch-sites.js';
import type { SharedMemory } from '../wasm/module.js';
import { bytesAt, intsAt, type ReaderModule } from './reader-module.js';
import {
  END_ADDRESS,
  END_BYTES,
  END_FILE,
  END_FLAGS,
  END_START,
  END_SYMBOL,
  PAIR_BYTES,
  TEXT_ADDRESS,
  TEXT_BYTES,
  TEXT_LENGTH,
} from './wasm/layout.js';

const FLOAT = Float64Array.BYTES_PER_ELEMENT;
const INT = Int32Array.BYTES_PER_ELEMENT;

/** Columns of a row that describes one end of branches: the module's records of eight bytes a number. */
export const End = {
  Address: END_ADDRESS / FLOAT,
  /** Start of its function; NaN if unknown. */
  Start: END_START / FLOAT,
  /** A row of the symbols. If negative, the whole end is a row of the texts: `~symbol`. */
  Symbol: END_SYMBOL / FLOAT,
  /** A row of the files; negative if none was printed. */
  File: END_FILE / FLOAT,
  /** In origins: kind and edge of the branch, see `packFlags`. */
  Flags: END_FLAGS / FLOAT,
} as const;
export const END_COLUMNS = END_BYTES / FLOAT;
export const PAIR_COLUMNS = PAIR_BYTES / INT;

/** The branches of a reader, and of others that share its memory. */
export interface Branches {
  /** The ends before and after the arrow: END_COLUMNS each. As of the last `update`, like `pairs`. */
  readonly origins: Float64Array;
  readonly targets: Float64Array;
  /** The origin and the target of each branch. */
  readonly pairs: Int32Array;
  /** Sees all branches that are in the pieces received so far. Rows do not change, but they may move. */
  update(): void;
  /** Returns the name of a function; bytes as latin1 characters, like the other texts. */
  symbol(row: number): string;
  /** Returns the file of a function. */
  file(row: number): string;
  /** Returns an end in an unusual form, as perf prints it. */
  unusualEnd(row: number): string;
}

export class KnownBranches implements Branches {
  origins: Float64Array = new Float64Array();
  targets: Float64Array = new Float64Array();
  pairs: Int32Array = new Int32Array();

  constructor(
    private readonly memory: SharedMemory,
    private readonly module: ReaderModule,
  ) {}

  update(): void {
    const { module } = this;
    this.origins = this.floats(module.originsStart(), module.originsBytes());
    this.targets = this.floats(module.targetsStart(), module.targetsBytes());
    this.pairs = intsAt(this.memory, module.pairsStart(), module.pairsBytes());
  }

  symbol(row: number): string {
    return this.text(this.module.symbolsStart(), row);
  }

  file(row: number): string {
    return this.text(this.module.filesStart(), row);
  }

  unusualEnd(row: number): string {
    return this.text(this.module.textsStart(), row);
  }

  private text(spans: number, row: number): string {
    const { buffer, byteOffset } = this.bytes(spans + TEXT_BYTES * row, TEXT_BYTES);
    const span = new DataView(buffer, byteOffset, TEXT_BYTES);
    const bytes = this.bytes(span.getUint32(TEXT_ADDRESS, true), span.getUint32(TEXT_LENGTH, true));
    return latin1Text(bytes);
  }

  private floats(start: number, length: number): Float64Array {
    const { buffer, byteOffset } = this.bytes(start, length);
    return new Float64Array(buffer, byteOffset, length / FLOAT);
  }

  private bytes(start: number, length: number): Uint8Array {
    return bytesAt(this.memory, start, length);
  }
}

// Ends of branches that the module cannot parse: it numbers them, the text of each is kept in its memory.

/** A branch as perf prints its two ends. */
export interface BranchText {
  readonly kind: BranchKind;
  readonly edge: TraceEdge;
  readonly from: string;
  readonly to: string;
}

/** Encodes kind and edge as one number. */
export function packFlags(kind: BranchKind, edge: TraceEdge): number {
  return kind * 4 + edge;
}

export function unpackFlags(flags: number): { kind: BranchKind; edge: TraceEdge } {
  return { kind: (flags >> 2) as BranchKind, edge: (flags & 3) as TraceEdge };
}

/** The texts may be slices of their lines and keep these alive; lines are short. Another reader may add the same text. */
export class BranchEnds {
  private readonly originNumbers = new Map<string, number>();
  private readonly targetNumbers = new Map<string, number>();
  private readonly textRows = new Map<string, number>();

  /** `addText` keeps a text in the modules' memory and returns its row. */
  constructor(
    private readonly module: ReaderModule,
    private readonly addText: (text: string) => number,
  ) {}

  origin({ kind, edge, from }: BranchText): number {
    const flags = packFlags(kind, edge);
    const key = `${flags} ${from}`;
    let number = this.originNumbers.get(key);
    if (number === undefined) this.originNumbers.set(key, (number = this.module.addOrigin(flags, this.rowOf(from))));
    return number;
  }

  target({ to }: BranchText): number {
    let number = this.targetNumbers.get(to);
    if (number === undefined) this.targetNumbers.set(to, (number = this.module.addTarget(this.rowOf(to))));
    return number;
  }

  private rowOf(text: string): number {
    let row = this.textRows.get(text);
    if (row === undefined) this.textRows.set(text, (row = this.addText(text)));
    return row;
  }
}
