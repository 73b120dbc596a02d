/**
 * Numbers branches by their origin and target, for all kernels alike. It is searched without a lock (see Slots).
 */
import { PAIR_BYTES, PAIR_ORIGIN, PAIR_TARGET, SHARED_BRANCHES, SHARED_PAIRS } from './layout';
import { lock, unlock } from './lock';
import { GrowingBuffer, shared } from './memory';
import { Slots } from './slots';

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
