/**
 * A hash table from known texts (parts of lines) to numbers.
 */
import { GrowingBuffer, zeroed } from './memory';

/** Texts with equal hashes are compared one by one: more than these are not kept. */
const MAX_COLLISIONS: u32 = 16;
/** Size of one table: texts beyond it, in traces with millions of sites, are parsed each time. */
const MAX_BYTES: usize = 64 * 1024 * 1024;
const MIN_SLOTS: u32 = 1024;
const SLOT_BYTES: usize = 8;
const MAX_LENGTH: u32 = 0xffff;
export const UNKNOWN: u64 = 0;

/** An entry: some numbers, followed by its text. */
@unmanaged
export class Entry {
  hash: u32 = 0;
  length: u32 = 0;
  value: u32 = 0;
  /** For callers: the last lookup with this entry, and its result. */
  noteKey: u32 = 0;
  note: u32 = 0;
  unused: u32 = 0;
}
const TEXT: usize = 24;

@unmanaged
export class TextTable {
  /**
   * 64 bits each: the upper half of the hash and the length, then the offset of the entry plus one. UNKNOWN is free.
   */
  slots: usize = 0;
  mask: u32 = 0;
  count: u32 = 0;
  entries: GrowingBuffer = changetype<GrowingBuffer>(0);

  static make(): TextTable {
    const table = changetype<TextTable>(zeroed(offsetof<TextTable>()));
    table.entries = GrowingBuffer.make();
    table.slots = zeroed(SLOT_BYTES * MIN_SLOTS);
    table.mask = MIN_SLOTS - 1;
    return table;
  }

  /**
   * Returns the slot of the text at `at`, for `entryOf` and `lengthOf`, or UNKNOWN. `hash` is that of its first bytes.
   *
   * The length is in the slot, not in the entry, which is farther away in memory: so the CPU can speculate past the
   * text while it still compares.
   */
  @inline
  find(at: usize, hash: u32): u64 {
    const mask = this.mask;
    const entries = this.entries.start;
    let slot = hash & mask;
    let found = load<u64>(this.slots + SLOT_BYTES * slot);
    while (found !== UNKNOWN) {
      const entry = entries + <u32>found - 1;
      if ((<u32>(found >> 32) ^ hash) >> 16 === 0 && isSame(at, entry + TEXT, lengthOf(found))) return found;
      slot = (slot + 1) & mask;
      found = load<u64>(this.slots + SLOT_BYTES * slot);
    }
    return UNKNOWN;
  }

  @inline
  entryOf(found: u64): Entry {
    return changetype<Entry>(this.entries.start + <u32>found - 1);
  }

  /** Returns the offset of a found text among the entries. */
  textOf(found: u64): u32 {
    return <u32>found - 1 + <u32>TEXT;
  }

  /** Adds a text of at least 4 bytes. Returns false if it cannot be kept. */
  add(at: usize, length: u32, hash: u32, value: u32): bool {
    if (this.find(at, hash) !== UNKNOWN) return true;
    if (length > MAX_LENGTH || !this.hasSpaceFor(hash)) return false;
    const offset = <u32>this.entries.used;
    const entry = changetype<Entry>(this.entries.extend(bytesFor(length)));
    entry.hash = hash;
    entry.length = length;
    entry.value = value;
    entry.noteKey = u32.MAX_VALUE;
    memory.copy(changetype<usize>(entry) + TEXT, at, length);
    this.count++;
    if (this.count * 2 > this.mask) this.grow();
    else this.insert(hash, length, offset);
    return true;
  }

  clear(): void {
    memory.fill(this.slots, 0, SLOT_BYTES * (<usize>this.mask + 1));
    this.entries.used = 0;
    this.count = 0;
  }

  private hasSpaceFor(hash: u32): bool {
    let collisions: u32 = 0;
    let slot = hash & this.mask;
    let found = load<u64>(this.slots + SLOT_BYTES * slot);
    while (found !== UNKNOWN) {
      if (this.entryOf(found).hash === hash) collisions++;
      slot = (slot + 1) & this.mask;
      found = load<u64>(this.slots + SLOT_BYTES * slot);
    }
    return collisions < MAX_COLLISIONS && this.entries.used < MAX_BYTES;
  }

  private insert(hash: u32, length: u32, offset: u32): void {
    let slot = hash & this.mask;
    while (load<u64>(this.slots + SLOT_BYTES * slot) !== UNKNOWN) slot = (slot + 1) & this.mask;
    const high = (hash & 0xffff0000) | length;
    store<u64>(this.slots + SLOT_BYTES * slot, ((<u64>high) << 32) | (offset + 1));
  }

  private grow(): void {
    this.mask = 2 * this.mask + 1;
    this.slots = zeroed(SLOT_BYTES * (<usize>this.mask + 1));
    for (let offset: u32 = 0; offset < <u32>this.entries.used; ) {
      const entry = changetype<Entry>(this.entries.start + offset);
      this.insert(entry.hash, entry.length, offset);
      offset += bytesFor(entry.length);
    }
  }
}

function bytesFor(length: u32): u32 {
  return (<u32>TEXT + length + 7) & ~7;
}

/** Returns the length of a found text. */
export function lengthOf(found: u64): u32 {
  return <u32>(found >> 32) & MAX_LENGTH;
}

/** Compares 16 bytes at a time, the last ones perhaps twice; short texts eight or four. */
function isSame(a: usize, b: usize, length: u32): bool {
  if (length < 8) return load<u32>(a) === load<u32>(b) && load<u32>(a + length - 4) === load<u32>(b + length - 4);
  if (length < 16) return load<u64>(a) === load<u64>(b) && load<u64>(a + length - 8) === load<u64>(b + length - 8);
  const last = length - 16;
  for (let i: u32 = 0; i < last; i += 16) if (differ(a + i, b + i)) return false;
  return !differ(a + last, b + last);
}

function differ(a: usize, b: usize): bool {
  return v128.any_true(v128.xor(v128.load(a), v128.load(b)));
}
