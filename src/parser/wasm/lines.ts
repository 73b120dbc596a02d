/**
 * The inner loop of reading: lines whose bytes, except the time, were all seen before.
 *
 * Unknown text is left to the reference parser, which adds its result (`cache…`), so that the text is known the next
 * time. Three tables hold known text: heads (a line up to the dot of its time: thread, CPU, second), origins (from the
 * colon after the time to the arrow) and targets (from there to the newline). Pieces consist of whole lines, and no
 * entry extends past a newline, so no match crosses the end of a piece.
 */

import { addEnd, branchNumber, origins as originEnds, removeLastEnd, targets as targetEnds } from './branches';
import {
  LINE_BRANCH,
  LINE_BYTES,
  LINE_HEAD,
  LINE_NS,
  LINE_START,
  NO_FILE,
  SHARED_ORIGINS,
  SHARED_TARGETS,
  STOP_DONE,
  STOP_UNKNOWN_HEAD,
  STOP_UNKNOWN_REST,
} from './layout';
import { GrowingBuffer, lock, unlock } from './memory';
import { entryOf, lengthOf, TextTable, UNKNOWN } from './text-table';
import {
  addFlagWords as addWords,
  fileOf,
  flags,
  from,
  lineEnd,
  readBranch,
  symbolOf,
  targetAt,
  to,
} from './usual-branch';

/** The hashes read this many bytes of a text. */
const MIN_HEAD: u32 = 12;
/** With the name of the thread, which perf prints in 16 columns. */
const MIN_NAMED_HEAD: u32 = 28;
const MIN_ORIGIN: u32 = 44;
const MIN_TARGET: u32 = 20;
const COLON: u8 = 58;
const DOT: i8 = 46;
const OPEN: i8 = 91;
/** After the text, because it is read in whole words. */
const PADDING: usize = 64;

/** A reader's own, because the rows of heads are. */
const heads = TextTable.make();
const origins = TextTable.shared(SHARED_ORIGINS);
const targets = TextTable.shared(SHARED_TARGETS);
/** By origin: its last target and their branch. */
const notes = GrowingBuffer.make();
const NOTE_TARGET: usize = 0;
const NOTE_BRANCH: usize = 4;
const NOTE_BYTES: usize = 8;
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
    row = entryOf(head).value;
    const dot = at + lengthOf(head);
    ns = nineDigits(dot);
    rest = dot + 10;
    if (ns < 0 || load<u8>(dot, 9) !== COLON) {
      ns = microseconds(dot);
      rest = dot + 7;
      if (ns < 0) return STOP_UNKNOWN_HEAD;
    }
    const origin = origins.find(rest, originHash(rest));
    const targetAt = rest + lengthOf(origin);
    const target = origin === UNKNOWN ? UNKNOWN : targets.find(targetAt, targetHash(targetAt));
    if (target === UNKNOWN) {
      if (!cacheBranch(rest)) return STOP_UNKNOWN_REST;
      continue; // it is known now
    }
    append(at, branchOf(entryOf(origin).value, entryOf(target).value), row, ns);
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
  lock();
  const isCached = cacheParsedOrigin(rest, length) && cacheParsedTarget(targetAt, targetLength);
  unlock();
  return isCached;
}

/** Others find the end as soon as its text is added, so the end itself comes first. */
function cacheParsedOrigin(at: usize, length: u32): bool {
  const hash = originHash(at);
  if (origins.find(at, hash) !== UNKNOWN) return true;
  const symbol = symbolOf(from);
  const file = fileOf(from);
  if (symbol < 0 || file < NO_FILE) return false;
  const number = addEnd(originEnds, from.address, from.start, symbol, file, flags);
  if (origins.add(at, length, hash, number)) return true;
  removeLastEnd(originEnds);
  return false;
}

function cacheParsedTarget(at: usize, length: u32): bool {
  const hash = targetHash(at);
  if (targets.find(at, hash) !== UNKNOWN) return true;
  const symbol = symbolOf(to);
  const file = fileOf(to);
  if (symbol < 0 || file < NO_FILE) return false;
  const number = addEnd(targetEnds, to.address, to.start, symbol, file, 0);
  if (targets.add(at, length, hash, number)) return true;
  removeLastEnd(targetEnds);
  return false;
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
  const at = base + start;
  return length >= (beginsWithName(at) ? MIN_NAMED_HEAD : MIN_HEAD) && heads.add(at, length, headHash(at), row);
}

/** Adds flags: words followed by two blanks in the text buffer, and their encoded meaning. */
export function addFlagWords(start: usize, length: u32, meaning: u32): void {
  lock();
  addWords(text.start + start, length, meaning);
  unlock();
}

/** Texts too short to hash are not cached. */
export function cacheOrigin(start: usize, length: u32, origin: u32): void {
  if (length >= MIN_ORIGIN) cache(origins, base + start, length, originHash(base + start), origin);
}

export function cacheTarget(start: usize, length: u32, target: u32): void {
  if (length >= MIN_TARGET) cache(targets, base + start, length, targetHash(base + start), target);
}

function cache(table: TextTable, at: usize, length: u32, hash: u32, value: u32): void {
  lock();
  table.add(at, length, hash, value);
  unlock();
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

function append(at: usize, branch: u32, head: u32, ns: u32): void {
  const line = lines.extend(LINE_BYTES);
  store<u32>(line, <u32>(at - base), LINE_START);
  store<u32>(line, branch, LINE_BRANCH);
  store<u32>(line, head, LINE_HEAD);
  store<u32>(line, ns, LINE_NS);
}

/** Most origins repeat their last target, so each reader remembers that: the table of branches is larger. */
function branchOf(origin: u32, target: u32): u32 {
  while (notes.used <= <usize>origin * NOTE_BYTES) store<u64>(notes.extend(NOTE_BYTES), u64.MAX_VALUE);
  const note = notes.start + <usize>origin * NOTE_BYTES;
  if (load<u32>(note, NOTE_TARGET) === target) return load<u32>(note, NOTE_BRANCH);
  const number = branchNumber(origin, target);
  store<u32>(note, target, NOTE_TARGET);
  store<u32>(note, number, NOTE_BRANCH);
  return number;
}

/** Neither a CPU nor a time is in the columns that a name fills. */
function beginsWithName(at: usize): bool {
  const columns = v128.load(at);
  const open = i8x16.eq(columns, i8x16.splat(OPEN));
  return !v128.any_true(v128.or(open, i8x16.eq(columns, i8x16.splat(DOT))));
}

/** The first bytes differ between threads and CPUs; those after the first eight, if a name comes first. */
function headHash(at: usize): u32 {
  if (beginsWithName(at)) {
    const name = load<u64>(at, 8) * 0x9e3779b97f4a7c15;
    return folded(name + load<u64>(at, 16) * 0xc2b2ae3d27d4eb4f + <u64>load<u32>(at, 24) * 0x165667b19e3779f9);
  }
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

/** Parses six digits and a colon, to nanoseconds; -1 if they are not that. */
function microseconds(at: usize): i32 {
  if (load<u8>(at, 6) !== COLON) return -1;
  let number: i32 = 0;
  for (let row: usize = 0; row < 6; row++) {
    const digit = <u32>load<u8>(at + row) - 48;
    if (digit > 9) return -1;
    number = 10 * number + <i32>digit;
  }
  return 1000 * number;
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
