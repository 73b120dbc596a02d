/**
 * The branches that all readers of a trace know, in the memory that their kernels share.
 */

import { bytesAt, intsAt, type Kernel, type KernelMemory } from '../kernel.js';
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
} from '../wasm/layout.js';

const FLOAT = Float64Array.BYTES_PER_ELEMENT;
const INT = Int32Array.BYTES_PER_ELEMENT;

/** Columns of a row that describes one end of branches: the kernel's records of eight bytes a number. */
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

export class KnownBranches {
  /** The ends before and after the arrow: END_COLUMNS each. As of the last `update`, like `pairs`. */
  origins: Float64Array = new Float64Array();
  targets: Float64Array = new Float64Array();
  /** The origin and the target of each branch. */
  pairs: Int32Array = new Int32Array();
  private readonly memory: KernelMemory;
  private readonly kernel: Kernel;

  constructor(memory: KernelMemory, kernel: Kernel) {
    this.memory = memory;
    this.kernel = kernel;
  }

  /** Sees all branches that are in the pieces received so far. Rows do not change, but they may move. */
  update(): void {
    const { kernel } = this;
    this.origins = this.floats(kernel.originsStart(), kernel.originsBytes());
    this.targets = this.floats(kernel.targetsStart(), kernel.targetsBytes());
    this.pairs = intsAt(this.memory, kernel.pairsStart(), kernel.pairsBytes());
  }

  /** Returns the name of a function; bytes as latin1 characters, like the other texts. */
  symbol(row: number): string {
    return this.text(this.kernel.symbolsStart(), row);
  }

  /** Returns the file of a function. */
  file(row: number): string {
    return this.text(this.kernel.filesStart(), row);
  }

  /** Returns an end in an unusual form, as perf prints it. */
  unusualEnd(row: number): string {
    return this.text(this.kernel.textsStart(), row);
  }

  private text(spans: number, row: number): string {
    const { buffer, byteOffset } = this.bytes(spans + TEXT_BYTES * row, TEXT_BYTES);
    const span = new DataView(buffer, byteOffset, TEXT_BYTES);
    const bytes = this.bytes(span.getUint32(TEXT_ADDRESS, true), span.getUint32(TEXT_LENGTH, true));
    return Buffer.from(bytes).toString('latin1');
  }

  private floats(start: number, length: number): Float64Array {
    const { buffer, byteOffset } = this.bytes(start, length);
    return new Float64Array(buffer, byteOffset, length / FLOAT);
  }

  private bytes(start: number, length: number): Uint8Array {
    return bytesAt(this.memory, start, length);
  }
}
