/**
 * Reads jitdump files (version 1, as in perf's jitdump specification): the names, addresses and code of functions that a JIT
 * compiler made.
 */

import { viewOf } from '../codec/bytes.js';
import type { Address } from '../model/units.js';
import { type ByteSource, partOf, textAt, wordAt } from './byte-source.js';

/** A function from some time on; one that is moved is listed again. */
export interface JitFunction {
  readonly name: string;
  readonly start: Address;
  readonly length: number; // bytes
  /** Where its code is in the dump. */
  readonly fileOffset: number;
  /** On the dump's clock. */
  readonly timestamp: bigint;
}

export interface JitDump {
  /** Whether the dump's clock is the TSC; otherwise nanoseconds of a clock of the system. */
  readonly isTscClock: boolean;
  readonly createdAt: bigint;
  /** In the order of the dump. */
  readonly functions: readonly JitFunction[];
}

const MAGIC = 0x4a695444; // "JiTD", little-endian
const X86_64 = 62;
export const JIT_DUMP_HEADER_BYTES = 40;
const IS_TSC_CLOCK = 1;
const RECORD_HEADER_BYTES = 16;
const RecordId = { Load: 0, Move: 1 } as const;
const LOAD_BYTES = 56;
const MOVE_BYTES = 64;
const MAX_NAME_BYTES = 4096;
const MAX_FUNCTIONS = 1_000_000;

const FILE_NAME = /\/jit-\d+\.dump$/;

/** Whether a file is a jitdump by its name. */
export function isJitDump(file: string): boolean {
  return FILE_NAME.test(file);
}

/** Whether a file that starts with these bytes is a jitdump of x86-64 code. */
export function isJitDumpHeader(bytes: Uint8Array): boolean {
  if (bytes.length < JIT_DUMP_HEADER_BYTES) return false;
  const header = viewOf(bytes);
  return header.getUint32(0, true) === MAGIC && header.getUint32(12, true) === X86_64;
}

/** Returns null if it is not a jitdump of x86-64 code. A truncated dump ends at its last complete record. */
export function readJitDump(source: ByteSource): JitDump | null {
  const start = partOf(source, 0, JIT_DUMP_HEADER_BYTES);
  if (!isJitDumpHeader(start)) return null;
  const header = viewOf(start);
  return {
    isTscClock: (header.getUint32(32, true) & IS_TSC_CLOCK) !== 0,
    createdAt: header.getBigUint64(24, true),
    functions: readFunctions(source, Math.max(header.getUint32(8, true), JIT_DUMP_HEADER_BYTES)),
  };
}

function readFunctions(source: ByteSource, start: number): JitFunction[] {
  const functions: JitFunction[] = [];
  const byIndex = new Map<bigint, JitFunction>();
  for (let at = start; functions.length < MAX_FUNCTIONS; ) {
    const header = viewOf(partOf(source, at, RECORD_HEADER_BYTES));
    const bytes = header.byteLength === 0 ? 0 : header.getUint32(4, true);
    if (bytes < RECORD_HEADER_BYTES || at + bytes > source.length) break;
    const read = READERS[header.getUint32(0, true)];
    const found = read?.({ source, at, bytes, timestamp: header.getBigUint64(8, true) }, byIndex) ?? null;
    if (found !== null && found.length > 0) functions.push(found);
    at += bytes;
  }
  return functions;
}

interface DumpRecord {
  readonly source: ByteSource;
  readonly at: number;
  readonly bytes: number;
  readonly timestamp: bigint;
}

type Reader = (record: DumpRecord, byIndex: Map<bigint, JitFunction>) => JitFunction | null;

const READERS: Readonly<Record<number, Reader>> = { [RecordId.Load]: readLoad, [RecordId.Move]: readMove };

/** Header, pid, tid, address, code address, size, index; then the name, a zero, and the code. */
function readLoad({ source, at, bytes, timestamp }: DumpRecord, byIndex: Map<bigint, JitFunction>): JitFunction | null {
  const head = partOf(source, at, Math.min(bytes, LOAD_BYTES + MAX_NAME_BYTES));
  const nameEnd = head.indexOf(0, LOAD_BYTES);
  if (nameEnd === -1) return null;
  const view = viewOf(head);
  const length = wordAt(view, 40);
  if (length < 0 || nameEnd + 1 + length > bytes) return null;
  const name = textAt(head, LOAD_BYTES);
  const found = { name, start: wordAt(view, 24), length, fileOffset: at + nameEnd + 1, timestamp };
  byIndex.set(view.getBigUint64(48, true), found);
  return found;
}

/** Header, pid, tid, new address, old and new code address, size, index of the function. */
function readMove({ source, at, bytes, timestamp }: DumpRecord, byIndex: Map<bigint, JitFunction>): JitFunction | null {
  if (bytes < MOVE_BYTES) return null;
  const view = viewOf(partOf(source, at, MOVE_BYTES));
  const moved = byIndex.get(view.getBigUint64(56, true));
  return moved === undefined ? null : { ...moved, start: wordAt(view, 24), timestamp };
}
