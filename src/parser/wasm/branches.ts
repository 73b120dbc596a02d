/**
 * The branches that all modules know, and the texts of ends that none can parse.
 */
import {
  BRANCH_BYTES,
  BRANCH_FLAGS,
  BRANCH_FROM,
  BRANCH_TO,
  END_ADDRESS,
  END_FILE,
  END_START,
  END_SYMBOL,
  NO_FILE,
  SHARED_BRANCHES,
  SHARED_TEXTS,
  TEXT_ADDRESS,
  TEXT_BYTES,
  TEXT_LENGTH,
} from './layout';
import { allocate, GrowingBuffer, lock, unlock } from './memory';

const branches = GrowingBuffer.shared(SHARED_BRANCHES);
/** Address and length of each text. */
const texts = GrowingBuffer.shared(SHARED_TEXTS);
const scratch = GrowingBuffer.make();

/** Adds a branch and returns its number; its ends are to be written. The caller holds the lock. */
export function newBranch(flags: u32): u32 {
  store<f64>(branches.extend(BRANCH_BYTES), <f64>flags, BRANCH_FLAGS);
  return <u32>(branches.used / BRANCH_BYTES) - 1;
}

/** Writes the end of a branch that is at `at` in its record. */
export function writeEnd(branch: u32, at: usize, address: f64, start: f64, symbol: i32, file: i32): void {
  const end = branches.start + BRANCH_BYTES * <usize>branch + at;
  store<f64>(end, address, END_ADDRESS);
  store<f64>(end, start, END_START);
  store<f64>(end, <f64>symbol, END_SYMBOL);
  store<f64>(end, <f64>file, END_FILE);
}

/** Removes the last branch, whose number nobody knows. The caller holds the lock. */
export function removeLastBranch(): void {
  branches.used -= BRANCH_BYTES;
}

/** Returns the address of a buffer: a text is written there before `addText` is called. */
export function reserveScratch(bytes: usize): usize {
  scratch.used = 0;
  return scratch.extend(bytes);
}

/** Keeps an end in an unusual form, which is in the scratch buffer. Returns its row. */
export function addText(length: u32): u32 {
  lock();
  const copy = allocate(length);
  memory.copy(copy, scratch.start, length);
  const row = <u32>(texts.used / TEXT_BYTES);
  const span = texts.extend(TEXT_BYTES);
  store<u32>(span, <u32>copy, TEXT_ADDRESS);
  store<u32>(span, length, TEXT_LENGTH);
  unlock();
  return row;
}

/** Adds a branch whose ends are texts, by their rows. Returns its number. */
export function addTextBranch(flags: u32, from: u32, to: u32): u32 {
  lock();
  const branch = newBranch(flags);
  writeEnd(branch, BRANCH_FROM, 0, 0, ~from, NO_FILE);
  writeEnd(branch, BRANCH_TO, 0, 0, ~to, NO_FILE);
  unlock();
  return branch;
}

export function branchesStart(): usize {
  return branches.start;
}

export function branchesBytes(): usize {
  return branches.used;
}

export function textsStart(): usize {
  return texts.start;
}
