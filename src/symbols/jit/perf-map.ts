/**
 * `/tmp/perf-PID.map`, where a compiler at run time says what it made → the symbol of any address.
 */
import { NONE } from '../../model/units.js';
import { decodeText } from '../elf/byte-source.js';
import { findRow } from '../table/find-row.js';
import { OrderedRows } from '../table/ordered-rows.js';
import type { SymbolTable } from '../table/symbol-table.js';

/** Shared by every process that has none of its own; perf takes such memory for code made at run time. */
const ANONYMOUS = /^(?:\/\/anon|\/dev\/zero|\/anon_hugepage|\[stack|\/SYSV|\[heap\])/;

/** The file that perf looks into instead; null if the memory is that of a file. */
export function perfMapOf(file: string, pid: number): string | null {
  return ANONYMOUS.test(file) || file === '' ? `/tmp/perf-${pid}.map` : null;
}

const LINE_END = 10;
const MAX_LINES = 20_000_000;
/** Addresses that are exact; there are no others in a process. */
const HEX = /^([0-9a-f]{1,13}) ([0-9a-f]{1,13}) (.+)$/i;

/** Lines of start, size and name; others are passed over. */
export function readPerfMap(bytes: Uint8Array): SymbolTable {
  const lines = countLines(bytes);
  const start = new Float64Array(lines);
  const end = new Float64Array(lines);
  const nameAt = new Float64Array(lines);
  const order = new OrderedRows(start);
  let length = 0;
  eachLine(bytes, (from, to) => {
    const [, address, size, name] = length < lines ? (HEX.exec(decodeText(bytes.subarray(from, to))) ?? []) : [];
    if (address === undefined || size === undefined || name === undefined) return;
    start[length] = Number.parseInt(address, 16);
    end[length] = start[length] + Number.parseInt(size, 16);
    nameAt[length] = from + address.length + size.length + 2;
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
