/**
 * Names an address of a recording as `perf script` does.
 */
import { latin1Text } from '../codec/bytes.js';
import type { Mapping } from '../model/trace/trace-chunk.js';
import { type Address, NONE } from '../model/units.js';
import { decodeText, partOf } from './byte-source.js';
import { demangle } from './demangle/demangle.js';
import { isJitDump, type JitDump, readJitDump } from './jitdump.js';
import { loadBinary } from './load-binary.js';
import { findRow, OrderedRows } from './ordered-rows.js';
import type { SymbolFiles, SymbolRoots } from './symbol-files.js';
import type { Demangle, PltNames, SymbolTable } from './symbol-table.js';

export interface SymbolizerOptions {
  readonly files: SymbolFiles;
  readonly roots: SymbolRoots;
  /** Returns the recorded build id of a binary, or null. */
  readonly buildIdOf: (file: string) => string | null;
  /** Default: `perf-6.1`. */
  readonly pltNames?: PltNames;
}

type NamedAddress =
  | {
      readonly name: string;
      /** As perf prints it. */
      readonly file: string;
      /** Where the symbol begins: perf prints the distance from it as `+0x…`. */
      readonly start: Address;
    }
  | { readonly name: null; readonly file: string; readonly reason: UnnamedReason };

/** No symbol is at the address, or there are no symbols: the offset in the file is unknown, or the file cannot be read. */
type UnnamedReason = 'no symbol there' | 'no symbols';

export class Symbolizer {
  private readonly tables = new Map<string, SymbolTable | null>();

  constructor(private readonly options: SymbolizerOptions) {}

  /** `mapping` contains the address. */
  nameOf(mapping: Mapping, address: Address): NamedAddress {
    const jit = perfMapOf(mapping.file, mapping.pid);
    const file = jit ?? mapping.file;
    // JIT code is looked up by address, code of files by its offset in the file
    const distance = jit === null ? mapping.start - mapping.fileOffset : 0;
    const table = this.tableOf(file, jit !== null);
    if (table === null || Number.isNaN(distance)) return { name: null, file, reason: 'no symbols' };
    const symbol = table.find(address - distance);
    if (symbol === null) return { name: null, file, reason: 'no symbol there' };
    return { name: symbol.name, file, start: symbol.start + distance };
  }

  private tableOf(file: string, isJit: boolean): SymbolTable | null {
    const known = this.tables.get(file);
    if (known !== undefined) return known;
    const loaded = isJit ? this.loadPerfMap(file) : isJitDump(file) ? this.loadJitDump(file) : this.load(file);
    this.tables.set(file, loaded);
    return loaded;
  }

  private load(file: string): SymbolTable | null {
    const { files, roots, buildIdOf, pltNames = 'perf-6.1' } = this.options;
    return loadBinary(file, buildIdOf(file), files, roots, { demangle, pltNames });
  }

  private loadJitDump(path: string): SymbolTable | null {
    const { files, roots } = this.options;
    const file = files.open(roots.root + path);
    const dump = file === null ? null : readJitDump(file);
    file?.close();
    return dump && jitDumpTable(dump, demangle);
  }

  private loadPerfMap(path: string): SymbolTable | null {
    const { files, roots } = this.options;
    const file = files.open(roots.root + path);
    if (file === null) return null;
    const bytes = partOf(file, 0, file.length);
    file.close();
    return readPerfMap(bytes);
  }
}

/** Finds the function whose code is at an offset of a jitdump. */
function jitDumpTable({ functions }: JitDump, demangle: Demangle): SymbolTable {
  const inOrder = [...functions].sort((a, b) => a.fileOffset - b.fileOffset); // moved functions are listed again
  return {
    length: functions.length,
    find(offset) {
      let [from, to] = [0, inOrder.length];
      while (from < to) {
        const middle = (from + to) >>> 1;
        const { fileOffset, length } = inOrder[middle];
        if (offset < fileOffset) to = middle;
        else if (offset >= fileOffset + length) from = middle + 1;
        else return foundIn(inOrder[middle], demangle);
      }
      return null;
    },
  };
}

function foundIn({ name, fileOffset, length }: JitDump['functions'][number], demangle: Demangle) {
  return { name: demangle(name) ?? name, start: fileOffset, end: fileOffset + length };
}

// Reads `/tmp/perf-PID.map`, where a JIT compiler lists the functions that it made.

/** Names of memory that is not a file's: perf assumes that code there is JIT code. */
const ANONYMOUS = /^(?:\/\/anon|\/dev\/zero|\/anon_hugepage|\[stack|\/SYSV|\[heap\])/;

/** Returns the perf map of such memory; null if it belongs to a file. */
function perfMapOf(file: string, pid: number): string | null {
  return ANONYMOUS.test(file) ? `/tmp/perf-${pid}.map` : null;
}

const LINE_END = 10;
const MAX_LINES = 5_000_000;
/** As perf reads it: spaces and `0x` before a number, one character after it; names have at least three characters. */
const LINE = /^\s*(?:0x)?([0-9a-f]{1,13})(?![0-9a-f]).\s*(?:0x)?([0-9a-f]{1,13})(?![0-9a-f]).(.{3,})$/i;

/** Lines are start, size and name; others are skipped. One character per byte: lengths are those of the file. */
function readPerfMap(bytes: Uint8Array): SymbolTable {
  const lines = countLines(bytes);
  const start = new Float64Array(lines);
  const end = new Float64Array(lines);
  const nameAt = new Float64Array(lines);
  const order = new OrderedRows(start);
  let length = 0;
  eachLine(bytes, (from, to) => {
    const [, address, size, name] = length < lines ? (LINE.exec(latin1Text(bytes, from, to)) ?? []) : [];
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
