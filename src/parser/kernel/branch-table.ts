/**
 * Numbers branches by their origin and target.
 */
import { PAIR_BYTES, PAIR_ORIGIN, PAIR_TARGET } from './layout';
import { GrowingBuffer, zeroed } from './memory';

const MIN_SLOTS: u32 = 4096;

/** All state is in memory, so a copy of the memory is a complete copy. */
@unmanaged
class Slots {
  start: usize = 0; // of branch numbers plus one; 0 is free
  mask: u32 = 0;
}

export const pairs = GrowingBuffer.make();
const slots = changetype<Slots>(zeroed(offsetof<Slots>()));
slots.start = zeroed(4 * MIN_SLOTS);
slots.mask = MIN_SLOTS - 1;

/** Returns the number of a branch, adding it if it is new. */
export function branchNumber(origin: u32, target: u32): u32 {
  const mask = slots.mask;
  let slot = hashOf(origin, target) & mask;
  let entry = load<u32>(slots.start + 4 * slot);
  while (entry !== 0) {
    const pair = pairs.start + <usize>PAIR_BYTES * <usize>(entry - 1);
    if (load<u32>(pair, PAIR_ORIGIN) === origin && load<u32>(pair, PAIR_TARGET) === target) return entry - 1;
    slot = (slot + 1) & mask;
    entry = load<u32>(slots.start + 4 * slot);
  }
  return add(origin, target, slot);
}

function add(origin: u32, target: u32, slot: u32): u32 {
  const number = <u32>(pairs.used / PAIR_BYTES);
  const pair = pairs.extend(PAIR_BYTES);
  store<u32>(pair, origin, PAIR_ORIGIN);
  store<u32>(pair, target, PAIR_TARGET);
  store<u32>(slots.start + 4 * slot, number + 1);
  if (number * 2 > slots.mask) grow();
  return number;
}

function grow(): void {
  slots.mask = slots.mask * 2 + 1;
  slots.start = zeroed(4 * (<usize>slots.mask + 1));
  for (let number: u32 = 0; number < <u32>(pairs.used / PAIR_BYTES); number++) {
    const pair = pairs.start + <usize>PAIR_BYTES * <usize>number;
    let slot = hashOf(load<u32>(pair, PAIR_ORIGIN), load<u32>(pair, PAIR_TARGET)) & slots.mask;
    while (load<u32>(slots.start + 4 * slot) !== 0) slot = (slot + 1) & slots.mask;
    store<u32>(slots.start + 4 * slot, number + 1);
  }
}

function hashOf(origin: u32, target: u32): u32 {
  const sum = origin * 0x9e3779b1 + target * 0x85ebca6b;
  return sum ^ (sum >> 15);
}
