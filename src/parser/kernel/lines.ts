/**
 * The inner loop of reading: lines whose bytes, except the time, were all seen before.
 *
 * Unknown text is left to the reference parser, which adds its result (`cache…`), so that the text is known the next
 * time. Three tables hold known text: heads (a line up to the dot of its time: thread, CPU, second), origins (from the
 * colon after the time to the arrow) and targets (from there to the newline). Pieces consist of whole lines, and no
 * entry extends past a newline, so no match crosses the end of a piece.
 */

import { branchNumber, pairs } from './branch-table';
import { addEnd, countOf, origins as originEnds, targets as targetEnds } from './ends';
import {
  LINE_BRANCH,
  LINE_BYTES,
  LINE_HEAD,
  LINE_NS,
  LINE_START,
  NO_FILE,
  STOP_DONE,
  STOP_UNKNOWN_HEAD,
  STOP_UNKNOWN_REST,
} from './layout';
import { GrowingBuffer } from './memory';
import { Entry, lengthOf, TextTable, UNKNOWN } from './text-table';
import {
  addFlagWords as addWords,
  fileOf,
  files,
  flags,
  from,
  lineEnd,
  readBranch,
  fileNamesStart as startOfFileNames,
  namesStart as startOfNames,
  symbolOf,
  symbols,
  targetAt,
  to,
} from './usual-branch';

/** The hashes read this many bytes of a text. */
const MIN_HEAD: u32 = 12;
const MIN_ORIGIN: u32 = 44;
const MIN_TARGET: u32 = 20;
const COLON: u8 = 58;
/** After the text, because it is read in whole words. */
const PADDING: usize = 64;

const heads = TextTable.make();
const origins = TextTable.make();
const targets = TextTable.make();
const text = GrowingBuffer.make();
export const lines = GrowingBuffer.make();

/** Start of the piece: all offsets count from here. */
let base: usize = 0;
let end: usize = 0;
let line: usize = 0;
let rest: usize = 0;
let row: u32 = 0;
let ns: i32 = 0;

/** Returns the address of a buffer: a piece is written there before `begin` is called. */
export function reserveText(bytes: usize): usize {
  text.used = 0;
  return text.extend(bytes + PADDING);
}

/** Begins a piece, which is in the text buffer between two offsets. */
export function begin(from: usize, to: usize): void {
  base = text.start + from;
  end = text.start + to;
  lines.used = 0;
}

/** Reads from an offset up to the first unknown line. Returns why it stopped. */
export function read(offset: usize): i32 {
  let at = base + offset;
  while (at < end) {
    line = at;
    const head = heads.find(at, headHash(at));
    if (head === UNKNOWN) return STOP_UNKNOWN_HEAD;
    row = heads.entryOf(head).value;
    const dot = at + lengthOf(head);
    ns = nineDigits(dot);
    if (ns < 0 || load<u8>(dot, 9) !== COLON) return STOP_UNKNOWN_HEAD;
    rest = dot + 10;
    const origin = origins.find(rest, originHash(rest));
    const targetAt = rest + lengthOf(origin);
    const target = origin === UNKNOWN ? UNKNOWN : targets.find(targetAt, targetHash(targetAt));
    if (target === UNKNOWN) {
      if (!cacheBranch(rest)) return STOP_UNKNOWN_REST;
      continue; // it is known now
    }
    append(at, branchOf(origins.entryOf(origin), targets.entryOf(target)), row, ns);
    at = targetAt + lengthOf(target);
  }
  line = at;
  return STOP_DONE;
}

/** Parses and caches a new branch in its usual form. Returns false if the reference parser must read it. */
function cacheBranch(rest: usize): bool {
  if (!readBranch(rest)) return false;
  const length = <u32>(targetAt - rest);
  const targetLength = <u32>(lineEnd - targetAt);
  if (length < MIN_ORIGIN || targetLength < MIN_TARGET) return false;
  return cacheParsedOrigin(rest, length) && cacheParsedTarget(targetAt, targetLength);
}

function cacheParsedOrigin(at: usize, length: u32): bool {
  const hash = originHash(at);
  if (origins.find(at, hash) !== UNKNOWN) return true;
  const symbol = symbolOf(from);
  const file = fileOf(from);
  if (symbol < 0 || file < NO_FILE || !origins.add(at, length, hash, countOf(originEnds))) return false;
  addEnd(originEnds, from.address, from.start, symbol, file, flags);
  return true;
}

function cacheParsedTarget(at: usize, length: u32): bool {
  const hash = targetHash(at);
  if (targets.find(at, hash) !== UNKNOWN) return true;
  const symbol = symbolOf(to);
  const file = fileOf(to);
  if (symbol < 0 || file < NO_FILE || !targets.add(at, length, hash, countOf(targetEnds))) return false;
  addEnd(targetEnds, to.address, to.start, symbol, file, 0);
  return true;
}

/** Offset of the line that reading stopped at. */
export function lineStart(): usize {
  return line - base;
}

/** Offset after the time of that line, if its head is known. */
export function restStart(): usize {
  return rest - base;
}

/** Row of its head, and its nanoseconds, likewise. */
export function lineHead(): u32 {
  return row;
}

export function lineNs(): u32 {
  return ns;
}

/** Adds a line that was read elsewhere. */
export function addLine(start: u32, branch: u32, head: u32, ns: u32): void {
  append(base + start, branch, head, ns);
}

/** Returns false if it cannot be kept. */
export function cacheHead(start: usize, length: u32, row: u32): bool {
  return length >= MIN_HEAD && heads.add(base + start, length, headHash(base + start), row);
}

/** Adds flags: words followed by two blanks in the text buffer, and their encoded meaning. */
export function addFlagWords(start: usize, length: u32, meaning: u32): void {
  addWords(text.start + start, length, meaning);
}

/** Adds an origin that is kept as a text elsewhere. Returns its number. */
export function addOrigin(flags: u32, row: u32): u32 {
  return addEnd(originEnds, 0, 0, ~row, NO_FILE, flags);
}

export function addTarget(row: u32): u32 {
  return addEnd(targetEnds, 0, 0, ~row, NO_FILE, 0);
}

/** Texts too short to hash are not cached. */
export function cacheOrigin(start: usize, length: u32, origin: u32): void {
  if (length >= MIN_ORIGIN) origins.add(base + start, length, originHash(base + start), origin);
}

export function cacheTarget(start: usize, length: u32, target: u32): void {
  if (length >= MIN_TARGET) targets.add(base + start, length, targetHash(base + start), target);
}

export function branch(origin: u32, target: u32): u32 {
  return branchNumber(origin, target);
}

export function clearHeads(): void {
  heads.clear();
}

export function linesStart(): usize {
  return lines.start;
}

export function linesBytes(): usize {
  return lines.used;
}

export function pairsStart(): usize {
  return pairs.start;
}

export function pairsBytes(): usize {
  return pairs.used;
}

export function originsStart(): usize {
  return originEnds.start;
}

export function originsBytes(): usize {
  return originEnds.used;
}

export function targetsStart(): usize {
  return targetEnds.start;
}

export function targetsBytes(): usize {
  return targetEnds.used;
}

/** Offset and length of each symbol's name, relative to `namesStart`. */
export function symbolsStart(): usize {
  return symbols.start;
}

export function symbolsBytes(): usize {
  return symbols.used;
}

export function namesStart(): usize {
  return startOfNames();
}

/** Likewise for files. */
export function filesStart(): usize {
  return files.start;
}

export function filesBytes(): usize {
  return files.used;
}

export function fileNamesStart(): usize {
  return startOfFileNames();
}

function append(at: usize, branch: u32, head: u32, ns: u32): void {
  const line = lines.extend(LINE_BYTES);
  store<u32>(line, <u32>(at - base), LINE_START);
  store<u32>(line, branch, LINE_BRANCH);
  store<u32>(line, head, LINE_HEAD);
  store<u32>(line, ns, LINE_NS);
}

/** Most origins repeat their last target, so each entry remembers that. */
function branchOf(origin: Entry, target: Entry): u32 {
  if (origin.noteKey === target.value) return origin.note;
  const number = branchNumber(origin.value, target.value);
  origin.noteKey = target.value;
  origin.note = number;
  return number;
}

/** The first bytes differ between threads and CPUs. */
function headHash(at: usize): u32 {
  return folded(load<u64>(at) * 0x9e3779b97f4a7c15 + <u64>load<u32>(at, 8) * 0xc2b2ae3d27d4eb4f);
}

/** Hashes the flags and the first address: in perf's usual columns the bytes that differ most. */
function originHash(at: usize): u32 {
  const flags = load<u64>(at, 4) * 0x9e3779b97f4a7c15;
  return folded(flags + load<u64>(at, 28) * 0xc2b2ae3d27d4eb4f + load<u64>(at, 36) * 0x165667b19e3779f9);
}

function targetHash(at: usize): u32 {
  const high = load<u64>(at) * 0x9e3779b97f4a7c15;
  return folded(high + load<u64>(at, 8) * 0xc2b2ae3d27d4eb4f + <u64>load<u32>(at, 16) * 0x165667b19e3779f9);
}

function folded(sum: u64): u32 {
  return <u32>((sum ^ (sum >> 29)) >> 24);
}

/** Parses nine digits, eight of them at once; -1 if they are not all digits. */
function nineDigits(at: usize): i32 {
  const digits = load<u64>(at) ^ 0x3030303030303030;
  if (((digits + 0x7676767676767676) | digits) & 0x8080808080808080) return -1;
  const last = <u32>load<u8>(at, 8) - 48;
  if (last > 9) return -1;
  const pairs = digits * 10 + (digits >> 8);
  const high = (pairs & 0x000000ff000000ff) * 0x000f424000000064;
  const low = ((pairs >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return <i32>(<u32>((high + low) >> 32) * 10 + last);
}
