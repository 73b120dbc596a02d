/**
 * Reads `/tmp/perf-PID.map`, where a JIT compiler lists the functions that it made.
 */
import { NONE } from '../model/units.js';
import { decodeText } from './byte-source.js';
import { findRow } from './table/find-row.js';
import { OrderedRows } from './table/ordered-rows.js';
import type { SymbolTable } from './table/symbol-table.js';

/** Names of memory that is not a file's: perf assumes that code there is JIT code. */
const ANONYMOUS = /^(?:\/\/anon|\/dev\/zero|\/anon_hugepage|\[stack|\/SYSV|\[heap\])/;

/** Returns the perf map of such memory; null if it belongs to a file. */
export function perfMapOf(file: string, pid: number): string | null {
  return ANONYMOUS.test(file) ? `/tmp/perf-${pid}.map` : null;
}

const LINE_END = 10;
const MAX_LINES = 5_000_000;
/** As perf reads it: spaces and `0x` before a number, one character after it; names have at least three characters. */
const LINE = /^\s*(?:0x)?([0-9a-f]{1,13})(?![0-9a-f]).\s*(?:0x)?([0-9a-f]{1,13})(?![0-9a-f]).(.{3,})$/i;

/** One character per byte, so that lengths are those of the file. */
const latin1 = new TextDecoder('latin1');

/** Lines are start, size and name; others are skipped. */
export function readPerfMap(bytes: Uint8Array): SymbolTable {
  const lines = countLines(bytes);
  const start = new Float64Array(lines);
  const end = new Float64Array(lines);
  const nameAt = new Float64Array(lines);
  const order = new OrderedRows(start);
  let length = 0;
  eachLine(bytes, (from, to) => {
    const [, address, size, name] = length < lines ? (LINE.exec(latin1.decode(bytes.subarray(from, to))) ?? []) : [];
    if (address === undefined || size === undefined || name === undefined) return;
    start[length] = Number.parseInt(address, 16);
    end[length] = start[length] + Number.parseInt(size, 16);
    nameAt[length] = to - name.length;
    order.insert(length++);
  });
  const nameOf = (row: number) => decodeText(bytes.subarray(nameAt[row], lineEnd(bytes, nameAt[row])));
  return {
    length,
    find(address) {
      const row = findRow(order, end, address);
      return row === NONE ? null : { name: nameOf(row), start: start[row], end: end[row] };
    },
  };
}

function countLines(bytes: Uint8Array): number {
  let lines = 1;
  for (const byte of bytes) if (byte === LINE_END) lines++;
  return Math.min(lines, MAX_LINES);
}

function eachLine(bytes: Uint8Array, line: (from: number, to: number) => void): void {
  for (let at = 0; at < bytes.length; ) {
    const end = lineEnd(bytes, at);
    line(at, end);
    at = end + 1;
  }
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LINE_END, from);
  return end === -1 ? bytes.length : end;
}
