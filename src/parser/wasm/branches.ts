/**
 * Numbers branches by their origin and target, for all modules alike. It is searched without a lock (see Slots).
 */
import {
  END_ADDRESS,
  END_BYTES,
  END_FILE,
  END_FLAGS,
  END_START,
  END_SYMBOL,
  NO_FILE,
  PAIR_BYTES,
  PAIR_ORIGIN,
  PAIR_TARGET,
  SHARED_BRANCHES,
  SHARED_ORIGIN_ENDS,
  SHARED_PAIRS,
  SHARED_TARGET_ENDS,
  SHARED_TEXTS,
  TEXT_ADDRESS,
  TEXT_BYTES,
  TEXT_LENGTH,
} from './layout';
import { allocate, GrowingBuffer, lock, shared, unlock } from './memory';
import { Slots } from './text-table';

const MIN_SLOTS: u32 = 4096;
/** A slot: both ends as one number plus one, so that 0 is free, and the number of the branch. */
const SLOT_KEY: usize = 0;
const SLOT_NUMBER: usize = 8;
const SLOT_BYTES: usize = 16;

@unmanaged
class Table {
  slots: Slots = changetype<Slots>(0);
}

export const pairs = GrowingBuffer.shared(SHARED_PAIRS);
const table = changetype<Table>(shared(SHARED_BRANCHES, offsetof<Table>()));
if (changetype<usize>(table.slots) === 0) table.slots = Slots.make(MIN_SLOTS, SLOT_BYTES);

/** Returns the number of a branch, adding it if it is new. */
export function branchNumber(origin: u32, target: u32): u32 {
  const key = keyOf(origin, target);
  const slot = slotOf(table.slots, key);
  return load<u64>(slot, SLOT_KEY) === key ? load<u32>(slot, SLOT_NUMBER) : findOrAdd(key, origin, target);
}

function findOrAdd(key: u64, origin: u32, target: u32): u32 {
  lock();
  const slot = slotOf(table.slots, key);
  const isKnown = load<u64>(slot, SLOT_KEY) === key;
  const number = isKnown ? load<u32>(slot, SLOT_NUMBER) : <u32>(pairs.used / PAIR_BYTES);
  if (!isKnown) {
    const pair = pairs.extend(PAIR_BYTES);
    store<u32>(pair, origin, PAIR_ORIGIN);
    store<u32>(pair, target, PAIR_TARGET);
    fill(slot, key, number);
    if (number * 2 > table.slots.mask) grow();
  }
  unlock();
  return number;
}

function grow(): void {
  const old = table.slots;
  const larger = Slots.make(2 * (old.mask + 1), SLOT_BYTES);
  for (let at: u32 = 0; at <= old.mask; at++) {
    const slot = old.at(at, SLOT_BYTES);
    const key = load<u64>(slot, SLOT_KEY);
    if (key !== 0) fill(slotOf(larger, key), key, load<u32>(slot, SLOT_NUMBER));
  }
  larger.publish(changetype<usize>(table) + offsetof<Table>('slots'));
}

/** Writes the key last: then the slot is complete. */
function fill(slot: usize, key: u64, number: u32): void {
  store<u32>(slot, number, SLOT_NUMBER);
  atomic.store<u64>(slot, key, SLOT_KEY);
}

/** Returns the slot with this key, or the free one where it belongs. */
function slotOf(slots: Slots, key: u64): usize {
  const mask = slots.mask;
  let at = hashOf(key) & mask;
  let found = load<u64>(slots.at(at, SLOT_BYTES), SLOT_KEY);
  while (found !== 0 && found !== key) {
    at = (at + 1) & mask;
    found = load<u64>(slots.at(at, SLOT_BYTES), SLOT_KEY);
  }
  return slots.at(at, SLOT_BYTES);
}

function keyOf(origin: u32, target: u32): u64 {
  return (((<u64>origin) << 32) | target) + 1;
}

function hashOf(key: u64): u32 {
  const product = key * 0x9e3779b97f4a7c15;
  return <u32>((product ^ (product >> 29)) >> 24);
}

/** The ends of branches: a row for each distinct text before an arrow (origins) and after one (targets). */
export const origins = GrowingBuffer.shared(SHARED_ORIGIN_ENDS);
export const targets = GrowingBuffer.shared(SHARED_TARGET_ENDS);

/** Adds a row and returns its number. The caller holds the lock. */
export function addEnd(ends: GrowingBuffer, address: f64, start: f64, symbol: i32, file: i32, flags: u32): u32 {
  const row = ends.extend(END_BYTES);
  store<f64>(row, address, END_ADDRESS);
  store<f64>(row, start, END_START);
  store<f64>(row, <f64>symbol, END_SYMBOL);
  store<f64>(row, <f64>file, END_FILE);
  store<f64>(row, <f64>flags, END_FLAGS);
  return <u32>(ends.used / END_BYTES) - 1;
}

/** Removes the last row, whose number nobody knows. The caller holds the lock. */
export function removeLastEnd(ends: GrowingBuffer): void {
  ends.used -= END_BYTES;
}

/** Address and length of each text. */
const texts = GrowingBuffer.shared(SHARED_TEXTS);
const scratch = GrowingBuffer.make();

// Ends of branches in an unusual form, which the reference parser reads: kept as text.

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
