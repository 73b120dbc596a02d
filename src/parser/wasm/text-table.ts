/**
 * A hash table from known texts (parts of lines) to numbers.
 *
 * A table that modules share is searched without a lock (see Slots): entries never change or move. A search that misses
 * a new entry, or still uses the slots before they grew, finds nothing; then the caller searches again under the lock.
 */
import { allocate, shared, zeroed } from './memory';

/** Texts with equal hashes are compared one by one: more than these are not kept. */
const MAX_COLLISIONS: u32 = 16;
/** Size of one table: texts beyond it, in traces with millions of sites, are parsed each time. */
const MAX_BYTES: usize = 64 * 1024 * 1024;
const MIN_SLOTS: u32 = 1024;
/** A slot: the upper half of the hash, the length, and the address of the entry, in 64 bits. UNKNOWN is free. */
const SLOT_BYTES: usize = 8;
const MIN_CHUNK_BYTES: usize = 4096;
const MAX_LENGTH: u32 = 0xffff;
export const UNKNOWN: u64 = 0;

/** An entry: some numbers, followed by its text. */
@unmanaged
export class Entry {
  hash: u32 = 0;
  length: u32 = 0;
  value: u32 = 0;
}
const TEXT: usize = 12;

@unmanaged
export class TextTable {
  slots: Slots = changetype<Slots>(0);
  count: u32 = 0;
  /** Bytes of all entries, and beyond how many none is added. */
  bytes: usize = 0;
  private mostBytes: usize = 0;
  /** Where the next entry goes, the end of the chunk of memory there, and that chunk's size. */
  next: usize = 0;
  limit: usize = 0;
  chunkBytes: usize = 0;

  static make(): TextTable {
    return changetype<TextTable>(zeroed(offsetof<TextTable>())).begun();
  }

  static shared(number: usize, mostBytes: usize = MAX_BYTES): TextTable {
    return changetype<TextTable>(shared(number, offsetof<TextTable>())).begun(mostBytes);
  }

  private begun(mostBytes: usize = MAX_BYTES): TextTable {
    this.mostBytes = mostBytes;
    if (changetype<usize>(this.slots) === 0) this.slots = Slots.make(MIN_SLOTS, SLOT_BYTES);
    return this;
  }

  /**
   * Returns the slot of the text at `at`, for `entryOf` and `lengthOf`, or UNKNOWN. `hash` is that of its first bytes.
   *
   * The length is in the slot, not in the entry, which is farther away in memory: so the CPU can speculate past the
   * text while it still compares.
   */
  @inline
  find(at: usize, hash: u32): u64 {
    const slots = this.slots;
    const mask = slots.mask;
    let slot = hash & mask;
    let found = load<u64>(slots.at(slot, SLOT_BYTES));
    while (found !== UNKNOWN) {
      if (hasTag(found, hash) && isSame(at, textOf(found), lengthOf(found))) return found;
      slot = (slot + 1) & mask;
      found = load<u64>(slots.at(slot, SLOT_BYTES));
    }
    return UNKNOWN;
  }

  /** Returns what is in the first slot for a hash: often its text. */
  first(hash: u32): u64 {
    const slots = this.slots; // another module may replace them at any time
    return load<u64>(slots.at(hash & slots.mask, SLOT_BYTES));
  }

  /** Adds a text of at least 4 bytes. Returns false if it cannot be kept. A table that is shared must be locked. */
  add(at: usize, length: u32, hash: u32, value: u32): bool {
    if (this.find(at, hash) !== UNKNOWN) return true;
    if (length > MAX_LENGTH || !this.hasSpaceFor(hash)) return false;
    const entry = this.newEntry(bytesFor(length));
    entry.hash = hash;
    entry.length = length;
    entry.value = value;
    memory.copy(changetype<usize>(entry) + TEXT, at, length);
    this.count++;
    if (this.count * 2 > this.slots.mask) this.grow();
    insert(this.slots, entry);
    return true;
  }

  /** Forgets all texts of a table that is not shared. The largest chunk is used again. */
  clear(): void {
    memory.fill(this.slots.at(0, SLOT_BYTES), 0, SLOT_BYTES * (<usize>this.slots.mask + 1));
    this.next = this.limit - this.chunkBytes;
    this.bytes = 0;
    this.count = 0;
  }

  private hasSpaceFor(hash: u32): bool {
    let collisions: u32 = 0;
    const slots = this.slots;
    let slot = hash & slots.mask;
    let found = load<u64>(slots.at(slot, SLOT_BYTES));
    while (found !== UNKNOWN) {
      if (entryOf(found).hash === hash) collisions++;
      slot = (slot + 1) & slots.mask;
      found = load<u64>(slots.at(slot, SLOT_BYTES));
    }
    return collisions < MAX_COLLISIONS && this.bytes < this.mostBytes;
  }

  private newEntry(bytes: usize): Entry {
    if (this.next + bytes > this.limit) {
      this.chunkBytes = max<usize>(MIN_CHUNK_BYTES, max<usize>(2 * this.chunkBytes, bytes));
      this.next = allocate(this.chunkBytes);
      this.limit = this.next + this.chunkBytes;
    }
    const entry = changetype<Entry>(this.next);
    this.next += bytes;
    this.bytes += bytes;
    return entry;
  }

  private grow(): void {
    const old = this.slots;
    const larger = Slots.make(2 * (old.mask + 1), SLOT_BYTES);
    for (let slot: u32 = 0; slot <= old.mask; slot++) {
      const found = load<u64>(old.at(slot, SLOT_BYTES));
      if (found !== UNKNOWN) insert(larger, entryOf(found));
    }
    larger.publish(changetype<usize>(this) + offsetof<TextTable>('slots'));
  }
}

function insert(slots: Slots, entry: Entry): void {
  const hash = entry.hash;
  let slot = hash & slots.mask;
  while (load<u64>(slots.at(slot, SLOT_BYTES)) !== UNKNOWN) slot = (slot + 1) & slots.mask;
  const high = (hash & 0xffff0000) | entry.length;
  atomic.store<u64>(slots.at(slot, SLOT_BYTES), ((<u64>high) << 32) | changetype<usize>(entry));
}

function hasTag(found: u64, hash: u32): bool {
  return (<u32>(found >> 32) ^ hash) >> 16 === 0;
}

function bytesFor(length: u32): u32 {
  return (<u32>TEXT + length + 7) & ~7;
}

export function entryOf(found: u64): Entry {
  return changetype<Entry>(<usize>(<u32>found));
}

/** Returns the address of a found text in its table. */
export function textOf(found: u64): usize {
  return <usize>(<u32>found) + TEXT;
}

/** Returns the length of a found text. */
export function lengthOf(found: u64): u32 {
  return <u32>(found >> 32) & MAX_LENGTH;
}

/** Compares 32 bytes at a time, the last ones perhaps twice; short texts fewer. */
function isSame(a: usize, b: usize, length: u32): bool {
  if (length < 8) return load<u32>(a) === load<u32>(b) && load<u32>(a + length - 4) === load<u32>(b + length - 4);
  if (length < 16) return load<u64>(a) === load<u64>(b) && load<u64>(a + length - 8) === load<u64>(b + length - 8);
  if (length < 32) return !v128.any_true(v128.or(differing(a, b), differing(a + length - 16, b + length - 16)));
  const last = length - 32;
  for (let i: u32 = 0; i < last; i += 32) if (differ(a + i, b + i)) return false;
  return !differ(a + last, b + last);
}

function differ(a: usize, b: usize): bool {
  return v128.any_true(v128.or(differing(a, b), differing(a + 16, b + 16)));
}

/** Returns the bits that differ. */
function differing(a: usize, b: usize): v128 {
  return v128.xor(v128.load(a), v128.load(b));
}

/**
 * The slots of a hash table that modules share. The table is searched without a lock, while another module that holds
 * the lock adds to it: a slot is written last, and when the slots grow, the old ones stay for those that still search
 * them.
 *
 * As many slots follow as a power of two, of one size; zeroed ones are free.
 */
@unmanaged
export class Slots {
  mask: u32 = 0;
  unused: u32 = 0;

  static make(count: u32, slotBytes: usize): Slots {
    const slots = changetype<Slots>(zeroed(offsetof<Slots>() + slotBytes * count));
    slots.mask = count - 1;
    return slots;
  }

  /** Returns the address of a slot. */
  @inline
  at(slot: u32, slotBytes: usize): usize {
    return changetype<usize>(this) + offsetof<Slots>() + slotBytes * slot;
  }

  /** Makes these the slots of a table, whose `slots` field is at `field`. */
  publish(field: usize): void {
    atomic.store<u32>(field, <u32>changetype<usize>(this));
  }
}
