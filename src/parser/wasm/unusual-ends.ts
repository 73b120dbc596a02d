/**
 * Ends of branches in an unusual form, which the reference parser reads: kept as text.
 */
import { addEnd, origins, targets } from './ends';
import { NO_FILE, SHARED_TEXTS, TEXT_ADDRESS, TEXT_BYTES, TEXT_LENGTH } from './layout';
import { lock, unlock } from './lock';
import { allocate, GrowingBuffer } from './memory';

/** Address and length of each text. */
const texts = GrowingBuffer.shared(SHARED_TEXTS);
const scratch = GrowingBuffer.make();

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

/** Adds an origin whose text is in `row`. Returns its number. */
export function addOrigin(flags: u32, row: u32): u32 {
  return addTextEnd(origins, flags, row);
}

export function addTarget(row: u32): u32 {
  return addTextEnd(targets, 0, row);
}

function addTextEnd(ends: GrowingBuffer, flags: u32, row: u32): u32 {
  lock();
  const number = addEnd(ends, 0, 0, ~row, NO_FILE, flags);
  unlock();
  return number;
}

export function textsStart(): usize {
  return texts.start;
}
