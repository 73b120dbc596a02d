/**
 * Pieces of lines that were seen before, found again by their bytes, with what was learned of them.
 */
import { Column, zeroed } from './memory';

/** Texts that look alike to the hash are compared one by one: those beyond so many are not kept. */
const MOST_ALIKE: u32 = 16;
/** Of one table: what a trace of millions of sites needs beyond this is read anew each time. */
const MOST_BYTES: usize = 64 * 1024 * 1024;
const LEAST_SLOTS: u32 = 1024;
const SLOT_BYTES: usize = 8;
const LONGEST_TEXT: u32 = 0xffff;
export const UNKNOWN: u64 = 0;

/** An entry: some numbers, and its text behind them. */
@unmanaged
export class Entry {
  hash: u32 = 0;
  length: u32 = 0;
  value: u32 = 0;
  /** For a user to remember what it looked up last. */
  noteKey: u32 = 0;
  note: u32 = 0;
  unused: u32 = 0;
}
const TEXT: usize = 24;

@unmanaged
export class TextTable {
  /** Of 64 bits: above, half of the hash and the length; below, the offset of the entry, plus one. Or UNKNOWN: free. */
  slots: usize = 0;
  mask: u32 = 0;
  count: u32 = 0;
  entries: Column = changetype<Column>(0);

  static make(): TextTable {
    const table = changetype<TextTable>(zeroed(offsetof<TextTable>()));
    table.entries = Column.make();
    table.slots = zeroed(SLOT_BYTES * LEAST_SLOTS);
    table.mask = LEAST_SLOTS - 1;
    return table;
  }

  /**
   * What is known of the text at `at`, or UNKNOWN: `entryOf` and `lengthOf` take it apart. `hash`: of its first bytes.
   *
   * The length comes with the slot, not with the entry, which is farther away: so the processor may go on with what
   * stands behind the text while it still compares.
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

  /** Of a text that was found: where it stands among the entries. */
  textOf(found: u64): u32 {
    return <u32>found - 1 + <u32>TEXT;
  }

  /** `length`: at least 4. False: it cannot be kept. */
  add(at: usize, length: u32, hash: u32, value: u32): bool {
    if (this.find(at, hash) !== UNKNOWN) return true;
    if (length > LONGEST_TEXT || !this.hasRoomFor(hash)) return false;
    const offset = <u32>this.entries.used;
    const entry = changetype<Entry>(this.entries.extend(bytesFor(length)));
    entry.hash = hash;
    entry.length = length;
    entry.value = value;
    entry.noteKey = u32.MAX_VALUE;
    memory.copy(changetype<usize>(entry) + TEXT, at, length);
    this.count++;
    if (this.count * 2 > this.mask) this.grow();
    else this.place(hash, length, offset);
    return true;
  }

  clear(): void {
    memory.fill(this.slots, 0, SLOT_BYTES * (<usize>this.mask + 1));
    this.entries.used = 0;
    this.count = 0;
  }

  private hasRoomFor(hash: u32): bool {
    let alike: u32 = 0;
    let slot = hash & this.mask;
    let found = load<u64>(this.slots + SLOT_BYTES * slot);
    while (found !== UNKNOWN) {
      if (this.entryOf(found).hash === hash) alike++;
      slot = (slot + 1) & this.mask;
      found = load<u64>(this.slots + SLOT_BYTES * slot);
    }
    return alike < MOST_ALIKE && this.entries.used < MOST_BYTES;
  }

  private place(hash: u32, length: u32, offset: u32): void {
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
      this.place(entry.hash, entry.length, offset);
      offset += bytesFor(entry.length);
    }
  }
}

function bytesFor(length: u32): u32 {
  return (<u32>TEXT + length + 7) & ~7;
}

/** Of the text that was found. */
export function lengthOf(found: u64): u32 {
  return <u32>(found >> 32) & LONGEST_TEXT;
}

/** Sixteen bytes at a time, the last ones perhaps twice; of short texts eight or four. */
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
