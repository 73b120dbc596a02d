/**
 * The branches that all readers of a trace know, in the memory that their modules share.
 */

import { latin1Text, viewOf } from '../codec/bytes.js';
import type { BranchKind, TraceEdge } from '../model/trace/branch-sites.js';
import type { SharedMemory } from '../wasm/module.js';
import { bytesAt, floatsAt, type ReaderModule } from './reader-module.js';
import {
  BRANCH_BYTES,
  BRANCH_FLAGS,
  BRANCH_FROM,
  BRANCH_TO,
  END_ADDRESS,
  END_FILE,
  END_START,
  END_SYMBOL,
  TEXT_ADDRESS,
  TEXT_BYTES,
  TEXT_LENGTH,
} from './wasm/layout.js';

const FLOAT = Float64Array.BYTES_PER_ELEMENT;

/** Columns of a row that describes a branch: the module's records of eight bytes a number. */
export const Branch = {
  /** Where the columns of its origin and of its target begin. */
  From: BRANCH_FROM / FLOAT,
  To: BRANCH_TO / FLOAT,
  /** Kind and edge, see `packFlags`. */
  Flags: BRANCH_FLAGS / FLOAT,
} as const;
export const BRANCH_COLUMNS = BRANCH_BYTES / FLOAT;

/** Columns of an end. */
export const End = {
  Address: END_ADDRESS / FLOAT,
  /** Start of its function; NaN if unknown. */
  Start: END_START / FLOAT,
  /** A row of the symbols. If negative, the whole end is a row of the texts: `~symbol`. */
  Symbol: END_SYMBOL / FLOAT,
  /** A row of the files; negative if none was printed. */
  File: END_FILE / FLOAT,
} as const;

/** Names of functions, files, and ends in an unusual form as perf prints them: bytes as latin1 characters. */
export const TEXT_KINDS = ['symbols', 'files', 'texts'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** The branches of a reader, and of others that share its memory. */
export interface Branches {
  /** BRANCH_COLUMNS each. As of the last `update`. */
  readonly rows: Float64Array;
  /** Sees all branches that are in the pieces received so far. Rows do not change, but they may move. */
  update(): void;
  text(kind: TextKind, row: number): string;
}

export class KnownBranches implements Branches {
  rows: Float64Array = new Float64Array();

  constructor(
    private readonly memory: SharedMemory,
    private readonly module: ReaderModule,
  ) {}

  update(): void {
    const { module } = this;
    this.rows = floatsAt(this.memory, module.branchesStart(), module.branchesBytes());
  }

  text(kind: TextKind, row: number): string {
    const { memory } = this;
    const spans = this.module[`${kind}Start`]();
    const span = viewOf(bytesAt(memory, spans + TEXT_BYTES * row, TEXT_BYTES));
    return latin1Text(bytesAt(memory, span.getUint32(TEXT_ADDRESS, true), span.getUint32(TEXT_LENGTH, true)));
  }
}

// Branches that the module cannot parse: it numbers them, the text of each end is kept in its memory.

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

/** The texts may be slices of their lines and keep these alive. Another reader may add the same branch. */
export class TextBranches {
  private readonly numbers = new Map<string, number>();
  private readonly textRows = new Map<string, number>();

  /** `addText` keeps a text in the modules' memory and returns its row. */
  constructor(
    private readonly module: ReaderModule,
    private readonly addText: (text: string) => number,
  ) {}

  numberOf({ kind, edge, from, to }: BranchText): number {
    const [flags, fromRow, toRow] = [packFlags(kind, edge), this.rowOf(from), this.rowOf(to)];
    const key = `${flags} ${fromRow} ${toRow}`;
    let number = this.numbers.get(key);
    if (number === undefined) this.numbers.set(key, (number = this.module.addTextBranch(flags, fromRow, toRow)));
    return number;
  }

  private rowOf(text: string): number {
    let row = this.textRows.get(text);
    if (row === undefined) this.textRows.set(text, (row = this.addText(text)));
    return row;
  }
}
