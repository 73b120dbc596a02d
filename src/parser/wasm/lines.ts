/**
 * The inner loop of reading: lines whose bytes, except the time, were all seen before.
 *
 * Unknown text is left to the reference parser, which adds its result (`cache…`), so that the text is known the next
 * time. Two tables hold known text: heads (a line up to the dot of its time: thread, CPU, second) and tails (from the
 * colon after the time to the newline). Pieces consist of whole lines, and no entry extends past a newline, so no match
 * crosses the end of a piece.
 */

import { newBranch, removeLastBranch, writeEnd } from './branches';
import {
  BRANCH_FROM,
  BRANCH_TO,
  LINE_BRANCH,
  LINE_BYTES,
  LINE_HEAD,
  LINE_NS,
  LINE_START,
  NO_FILE,
  OTHER,
  SHARED_TAILS,
  STOP_DONE,
  STOP_UNKNOWN_HEAD,
  STOP_UNKNOWN_REST,
  TEXT_PADDING,
} from './layout';
import { GrowingBuffer, lock, unlock, zeroed } from './memory';
import { entryOf, lengthOf, TextTable, textOf, UNKNOWN } from './text-table';
import { addFlagWords as addWords, fileOf, flags, from, readBranch, symbolOf, to } from './usual-branch';

/** Shorter texts are not kept. The hashes read this many bytes of a head. */
const MIN_HEAD: u32 = 12;
/** With the name of the thread, which perf prints in 16 columns. */
const MIN_NAMED_HEAD: u32 = 28;
const MIN_TAIL: u32 = 33;
/** Tails are origins and targets in one: they have the space of two tables. */
const MAX_TAIL_BYTES: usize = 128 * 1024 * 1024;
/** The most lines whose tails are searched for at once. */
const MAX_TAILS: u32 = 16;
/** Tails are hashed so many bytes at a time. */
const STEP: usize = 32;
const NEWLINE: i8 = 10;
const COLON: u8 = 58;
const DOT: i8 = 46;
const OPEN: i8 = 91;

/** A reader's own, because the rows of heads are. */
const heads = TextTable.make();
const tails = TextTable.shared(SHARED_TAILS, MAX_TAIL_BYTES);
const text = GrowingBuffer.make();
export const lines = GrowingBuffer.make();

/** The tail of a line, of the last ones, whose branch is not yet known. */
@unmanaged
class Tail {
  start: usize = 0;
  /** After its newline. */
  end: usize = 0;
  hash: u32 = 0;
  /** The first text that it may equal. */
  first: u64 = 0;
}

const newTails = zeroed(MAX_TAILS * offsetof<Tail>());
let tailCount: u32 = 0;
/** So that the compiler keeps loads that only fetch. */
export let fetched: u32 = 0;

/** Start of the piece: all offsets count from here. */
let base: usize = 0;
let end: usize = 0;
let line: usize = 0;
let rest: usize = 0;
let lineEnd: usize = 0;
let row: u32 = 0;
let ns: i32 = 0;

/** Returns the address of a buffer: a piece is written there before `begin` is called. */
export function reserveText(bytes: usize): usize {
  text.used = 0;
  return text.extend(bytes + TEXT_PADDING);
}

/** Begins a piece, which is in the text buffer between two offsets. */
export function begin(from: usize, to: usize): void {
  base = text.start + from;
  end = text.start + to;
  lines.used = 0;
}

/** Reads from an offset up to the first unknown line. Returns why it stopped. */
export function read(offset: usize): i32 {
  let stop = STOP_DONE;
  line = base + offset;
  // Few lines at first: those after an unknown one are read again.
  for (let most: u32 = 1; line < end && stop === STOP_DONE; most = min(2 * most, MAX_TAILS)) {
    stop = readHeads(most);
    fetchTails();
    if (!findTails()) return STOP_UNKNOWN_REST;
  }
  return stop;
}

/** Adds the next lines, at most this many, without their branches. Returns why it stopped. */
function readHeads(most: u32): i32 {
  for (tailCount = 0; tailCount < most && line < end; tailCount++) {
    const head = heads.find(line, headHash(line));
    if (head === UNKNOWN) return STOP_UNKNOWN_HEAD;
    row = entryOf(head).value;
    const dot = line + lengthOf(head);
    ns = nineDigits(dot);
    rest = dot + 10;
    if (ns < 0 || load<u8>(dot, 9) !== COLON) {
      ns = microseconds(dot);
      rest = dot + 7;
      if (ns < 0) return STOP_UNKNOWN_HEAD;
    }
    const tail = tailAt(tailCount);
    tail.hash = tailHash();
    tail.start = rest;
    tail.end = lineEnd;
    append(line, OTHER, row, ns);
    line = lineEnd;
  }
  return STOP_DONE;
}

/** Touches what the tails will be compared with: the CPU fetches it for all of them at once. */
function fetchTails(): void {
  for (let each: u32 = 0; each < tailCount; each++) tailAt(each).first = tails.first(tailAt(each).hash);
  let bytes: u32 = 0;
  for (let each: u32 = 0; each < tailCount; each++) {
    const first = tailAt(each).first;
    const length = lengthOf(first);
    bytes += load<u8>(textOf(first)) + load<u8>(textOf(first) + length / 2) + load<u8>(textOf(first) + length - 1);
  }
  fetched = bytes;
}

/** Finds the branches of the lines added last. Returns false at the first unknown one, and removes it and those after it. */
function findTails(): bool {
  let to = lines.start + lines.used - tailCount * LINE_BYTES;
  for (let each: u32 = 0; each < tailCount; each++) {
    const hash = tailAt(each).hash;
    rest = tailAt(each).start;
    lineEnd = tailAt(each).end;
    const known = tails.find(rest, hash);
    const branch = known === UNKNOWN ? addUsual(hash) : entryOf(known).value;
    if (branch === OTHER) return stopAt(to);
    store<u32>(to, branch, LINE_BRANCH);
    to += LINE_BYTES;
  }
  return true;
}

/** Removes the lines from `to` on; reading stops at the first of them. */
function stopAt(to: usize): bool {
  line = base + load<u32>(to, LINE_START);
  row = load<u32>(to, LINE_HEAD);
  ns = load<u32>(to, LINE_NS);
  lines.used = to - lines.start;
  return false;
}

function tailAt(index: u32): Tail {
  return changetype<Tail>(newTails + index * offsetof<Tail>());
}

/** Parses and adds a new branch in its usual form. Returns OTHER if the reference parser must read it. */
function addUsual(hash: u32): u32 {
  if (!readBranch(rest, lineEnd - 1)) return OTHER;
  lock();
  const known = tails.find(rest, hash); // another reader may have added it
  const branch = known === UNKNOWN ? addParsed(hash) : entryOf(known).value;
  unlock();
  return branch;
}

/** Others find the branch as soon as its text is added, so the branch itself comes first. */
function addParsed(hash: u32): u32 {
  const fromSymbol = symbolOf(from);
  const fromFile = fileOf(from);
  const toSymbol = symbolOf(to);
  const toFile = fileOf(to);
  if (min(fromSymbol, toSymbol) < 0 || min(fromFile, toFile) < NO_FILE) return OTHER;
  const branch = newBranch(flags);
  writeEnd(branch, BRANCH_FROM, from.address, from.start, fromSymbol, fromFile);
  writeEnd(branch, BRANCH_TO, to.address, to.start, toSymbol, toFile);
  if (addTail(hash, branch)) return branch;
  removeLastBranch();
  return OTHER;
}

/** Adds the text after the time. Returns false if it cannot be kept. */
function addTail(hash: u32, branch: u32): bool {
  const length = <u32>(lineEnd - rest);
  return length >= MIN_TAIL && tails.add(rest, length, hash, branch);
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

/** Adds a branch with the text after the time of that line, its newline included. */
export function cacheBranch(restStart: usize, branch: u32): void {
  rest = base + restStart;
  const hash = tailHash();
  lock();
  addTail(hash, branch);
  unlock();
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

/** Hashes the text after the time, 32 bytes at a time, and finds the end of the line. */
function tailHash(): u32 {
  let at = rest;
  let sum = i64x2.splat(0);
  let newlines = newlinesIn(at);
  while (newlines === 0) {
    sum = mixed(sum, at);
    at += STEP;
    newlines = newlinesIn(at);
  }
  lineEnd = at + ctz(newlines) + 1;
  if (lineEnd - rest >= MIN_TAIL) sum = mixed(sum, lineEnd - MIN_TAIL); // some bytes perhaps twice
  return folded((i64x2.extract_lane(sum, 0) + rotl<u64>(i64x2.extract_lane(sum, 1), 32)) * 0x9e3779b97f4a7c15);
}

/** Returns a bit for each of the next bytes. */
function newlinesIn(at: usize): i32 {
  const newline = i8x16.splat(NEWLINE);
  const first = i8x16.bitmask(i8x16.eq(v128.load(at), newline));
  return first | (i8x16.bitmask(i8x16.eq(v128.load(at, 16), newline)) << 16);
}

function mixed(sum: v128, at: usize): v128 {
  return withPart(withPart(sum, v128.load(at)), v128.load(at, 16));
}

/** Times 2^23 + 1, so that the order of parts matters. */
function withPart(sum: v128, part: v128): v128 {
  return i64x2.add(i64x2.add(sum, i64x2.shl(sum, 23)), part);
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
