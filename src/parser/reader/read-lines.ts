/**
 * The lines of a piece as rows, in the memory of the kernel that read them.
 */
import { LINE_BRANCH, LINE_BYTES, LINE_HEAD, LINE_NS, LINE_START } from '../kernel/layout.js';
import type { Kernel } from '../kernel.js';
import type { Head } from '../lines/line-prefix.js';
import type { PerfLine } from '../lines/perf-line-types.js';

/** Columns of a row: the kernel's records of four bytes a number. */
export const Line = {
  /** Offset of the line in the bytes. */
  Start: LINE_START / Int32Array.BYTES_PER_ELEMENT,
  /** Number of a branch of this reader, or OTHER: then the line is the next one of `others`. */
  Branch: LINE_BRANCH / Int32Array.BYTES_PER_ELEMENT,
  /** Row of the line's head in `heads`. */
  Head: LINE_HEAD / Int32Array.BYTES_PER_ELEMENT,
  Ns: LINE_NS / Int32Array.BYTES_PER_ELEMENT,
} as const;
export const LINE_COLUMNS = LINE_BYTES / Int32Array.BYTES_PER_ELEMENT;

export interface ReadLines {
  /** The text; valid until the next read, like everything here. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** LINE_COLUMNS per line. */
  readonly rows: Int32Array;
  readonly heads: readonly Head[];
  readonly others: readonly PerfLine[];
  /** The row of each of them. */
  readonly otherRows: readonly number[];
}

const RETURN = 13;

/** The text of the piece in the kernel's memory. When that memory grows, it moves, and existing views become empty. */
export class KernelText {
  private view = new Uint8Array();
  private readonly kernel: Kernel;
  private readonly start: number;
  private readonly length: number;

  constructor(kernel: Kernel, start: number, length: number) {
    this.kernel = kernel;
    this.start = start;
    this.length = length;
  }

  get bytes(): Uint8Array {
    const { kernel, start, length } = this;
    if (this.view.length === 0) this.view = new Uint8Array(kernel.memory.buffer, start, length);
    return this.view;
  }
}

/** Lines in the kernel's memory. */
export class KernelLines implements ReadLines {
  readonly length: number;
  readonly heads: readonly Head[];
  readonly others: readonly PerfLine[];
  readonly otherRows: readonly number[];
  private view = new Int32Array();
  private readonly text: KernelText;
  private readonly kernel: Kernel;

  constructor(
    text: KernelText,
    kernel: Kernel,
    heads: readonly Head[],
    others: readonly PerfLine[],
    otherRows: readonly number[],
  ) {
    this.text = text;
    this.kernel = kernel;
    this.length = kernel.linesBytes() / LINE_BYTES;
    this.heads = heads;
    this.others = others;
    this.otherRows = otherRows;
  }

  get bytes(): Uint8Array {
    return this.text.bytes;
  }

  get rows(): Int32Array {
    const { kernel } = this;
    if (this.view.length === 0)
      this.view = new Int32Array(kernel.memory.buffer, kernel.linesStart(), this.length * LINE_COLUMNS);
    return this.view;
  }
}

/** Returns a line without its line end; bytes as latin1 characters. */
export function lineText(bytes: Uint8Array, start: number, newline: number): string {
  const end = bytes[newline - 1] === RETURN && newline > start ? newline - 1 : newline;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}
