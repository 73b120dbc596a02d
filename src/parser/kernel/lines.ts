/**
 * The inner loop of reading: lines whose every byte was seen before, but for their times.
 *
 * Whatever is not known by its bytes is left to the tolerant parser, which tells what it made of it (`learn…`), so that
 * it is known the next time. Three tables hold what was seen: heads (a line up to the dot of its time: thread, processor,
 * second), origins (from the time's colon to the arrow) and targets (from there to the newline). Text comes in pieces of
 * whole lines, and no entry goes on behind a newline, so that none is found across the end of a piece.
 */
import { Column } from './memory';
import { branchFrom, pairs } from './pair-table';
import { Entry, lengthOf, TextTable, UNKNOWN } from './text-table';

/** A line: where it begins, its branch, the row of its head, the nanoseconds behind the dot. */
export const LINE_BYTES: usize = 16;
export const BRANCH: usize = 4;
export const HEAD: usize = 8;
export const NS: usize = 12;
/** In place of a branch: the line says something else. */
export const OTHER: u32 = u32.MAX_VALUE;

const COLON: u8 = 58;
/** Behind the text: words are read whole. */
const PADDING: usize = 64;

/** Why reading stopped. */
const DONE: i32 = 0;
const UNKNOWN_HEAD: i32 = 1;
const UNKNOWN_REST: i32 = 2;

const heads = TextTable.make();
const origins = TextTable.make();
const targets = TextTable.make();
const text = Column.make();
export const lines = Column.make();

/** Where the piece begins: all offsets are counted from here. */
let base: usize = 0;
let end: usize = 0;
let line: usize = 0;
let rest: usize = 0;
let row: u32 = 0;
let ns: i32 = 0;

/** Room for so many bytes: a piece is written there before `begin` is called. */
export function roomForText(bytes: usize): usize {
  text.used = 0;
  return text.extend(bytes + PADDING);
}

/** The piece is in the room, from one of its bytes up to another. */
export function begin(from: usize, to: usize): void {
  base = text.start + from;
  end = text.start + to;
  lines.used = 0;
}

/** Reads from an offset on, up to the first line that is not known; says why it stopped. */
export function read(offset: usize): i32 {
  let at = base + offset;
  while (at < end) {
    line = at;
    const head = heads.find(at, headHash(at));
    if (head == UNKNOWN) return UNKNOWN_HEAD;
    row = heads.entryOf(head).value;
    const dot = at + lengthOf(head);
    ns = nineDigits(dot);
    if (ns < 0 || load<u8>(dot, 9) != COLON) return UNKNOWN_HEAD;
    rest = dot + 10;
    const origin = origins.find(rest, originHash(rest));
    if (origin == UNKNOWN) return UNKNOWN_REST;
    const targetAt = rest + lengthOf(origin);
    const target = targets.find(targetAt, targetHash(targetAt));
    if (target == UNKNOWN) return UNKNOWN_REST;
    append(at, branchOf(origins.entryOf(origin), targets.entryOf(target)), row, ns);
    at = targetAt + lengthOf(target);
  }
  line = at;
  return DONE;
}

/** Where the line begins that reading stopped at. */
export function lineStart(): usize {
  return line - base;
}

/** Where that line goes on behind its time, if its head is known. */
export function restStart(): usize {
  return rest - base;
}

/** The row of its head, and its nanoseconds, likewise. */
export function lineHead(): u32 {
  return row;
}

export function lineNs(): u32 {
  return ns;
}

/** What a line is that was read elsewhere. */
export function addLine(start: u32, branch: u32, head: u32, ns: u32): void {
  append(base + start, branch, head, ns);
}

/** At least twelve bytes. False: it cannot be kept. */
export function learnHead(start: usize, length: u32, row: u32): bool {
  return heads.add(base + start, length, headHash(base + start), row);
}

/** At least 44 bytes. */
export function learnOrigin(start: usize, length: u32, origin: u32): void {
  origins.add(base + start, length, originHash(base + start), origin);
}

/** At least 20 bytes. */
export function learnTarget(start: usize, length: u32, target: u32): void {
  targets.add(base + start, length, targetHash(base + start), target);
}

export function branch(origin: u32, target: u32): u32 {
  return branchFrom(origin, target);
}

export function forgetHeads(): void {
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

function append(at: usize, branch: u32, head: u32, ns: u32): void {
  const line = lines.extend(LINE_BYTES);
  store<u32>(line, <u32>(at - base));
  store<u32>(line, branch, BRANCH);
  store<u32>(line, head, HEAD);
  store<u32>(line, ns, NS);
}

/** Most branches go where they went last. */
function branchOf(origin: Entry, target: Entry): u32 {
  if (origin.noteKey == target.value) return origin.note;
  const number = branchFrom(origin.value, target.value);
  origin.noteKey = target.value;
  origin.note = number;
  return number;
}

/** The first bytes tell threads and processors apart. */
function headHash(at: usize): u32 {
  return folded(load<u64>(at) * 0x9e3779b97f4a7c15 + <u64>load<u32>(at, 8) * 0xc2b2ae3d27d4eb4f);
}

/** Of flags and the first address: in perf's usual columns the bytes that differ most. */
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

/** Nine digits as their number, eight of them at once; -1 if they are not all digits. */
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
