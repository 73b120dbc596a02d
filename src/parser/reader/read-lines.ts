/**
 * The lines of a piece as rows, in the memory of the kernel that read them.
 */

import type { Head } from '../lines/line-prefix.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import { LINE_BRANCH, LINE_BYTES, LINE_HEAD, LINE_NS, LINE_START } from '../wasm/layout.js';

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

/** Returns a line without its line end; bytes as latin1 characters. */
export function lineText(bytes: Uint8Array, start: number, newline: number): string {
  const end = bytes[newline - 1] === RETURN && newline > start ? newline - 1 : newline;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}
