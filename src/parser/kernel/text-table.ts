/**
 * Pieces of lines that were seen before, found again by their bytes, with what was learned of them.
 */
import { Column, zeroed } from './memory';

/** Texts that look alike to the hash are compared one by one: those beyond so many are not kept. */
const MOST_ALIKE: u32 = 16;
/** Of one table: what a trace of millions of sites needs beyond this is read anew each time. */
const MOST_BYTES: usize = 64 * 1024 * 1024;
const LEAST_SLOTS: u32 = 1024;

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
  slots: usize = 0; // offsets of entries, plus one; 0: free
  mask: u32 = 0;
  count: u32 = 0;
  entries: Column = changetype<Column>(0);

  static make(): TextTable {
    const table = changetype<TextTable>(zeroed(offsetof<TextTable>()));
    table.entries = Column.make();
    table.slots = zeroed(4 * LEAST_SLOTS);
    table.mask = LEAST_SLOTS - 1;
    return table;
  }

  /** null if it is not known. `hash`: of the first bytes at `at`. */
  @inline
  find(at: usize, hash: u32): Entry | null {
    const mask = this.mask;
    const entries = this.entries.start;
    let slot = hash & mask;
    let place = load<u32>(this.slots + 4 * slot);
    while (place != 0) {
      const entry = changetype<Entry>(entries + place - 1);
      if (entry.hash == hash && isSame(at, changetype<usize>(entry) + TEXT, entry.length)) return entry;
      slot = (slot + 1) & mask;
      place = load<u32>(this.slots + 4 * slot);
    }
    return null;
  }

  /** `length`: at least 8. False: it cannot be kept. */
  add(at: usize, length: u32, hash: u32, value: u32): bool {
    if (this.find(at, hash)) return true;
    if (!this.hasRoomFor(hash)) return false;
    const offset = <u32>this.entries.used;
    const entry = changetype<Entry>(this.entries.extend(bytesFor(length)));
    entry.hash = hash;
    entry.length = length;
    entry.value = value;
    entry.noteKey = u32.MAX_VALUE;
    memory.copy(changetype<usize>(entry) + TEXT, at, length);
    this.count++;
    if (this.count * 2 > this.mask) this.grow();
    else this.place(hash, offset);
    return true;
  }

  clear(): void {
    memory.fill(this.slots, 0, 4 * (<usize>this.mask + 1));
    this.entries.used = 0;
    this.count = 0;
  }

  private hasRoomFor(hash: u32): bool {
    let alike: u32 = 0;
    let slot = hash & this.mask;
    let place = load<u32>(this.slots + 4 * slot);
    while (place != 0) {
      if (changetype<Entry>(this.entries.start + place - 1).hash == hash) alike++;
      slot = (slot + 1) & this.mask;
      place = load<u32>(this.slots + 4 * slot);
    }
    return alike < MOST_ALIKE && this.entries.used < MOST_BYTES;
  }

  private place(hash: u32, offset: u32): void {
    let slot = hash & this.mask;
    while (load<u32>(this.slots + 4 * slot) != 0) slot = (slot + 1) & this.mask;
    store<u32>(this.slots + 4 * slot, offset + 1);
  }

  private grow(): void {
    this.mask = 2 * this.mask + 1;
    this.slots = zeroed(4 * (<usize>this.mask + 1));
    for (let offset: u32 = 0; offset < <u32>this.entries.used; ) {
      const entry = changetype<Entry>(this.entries.start + offset);
      this.place(entry.hash, offset);
      offset += bytesFor(entry.length);
    }
  }
}

function bytesFor(length: u32): u32 {
  return (<u32>TEXT + length + 7) & ~7;
}

/** Sixteen bytes at a time, the last ones perhaps twice; of short texts eight. */
function isSame(a: usize, b: usize, length: u32): bool {
  if (length < 16) return load<u64>(a) == load<u64>(b) && load<u64>(a + length - 8) == load<u64>(b + length - 8);
  const last = length - 16;
  for (let i: u32 = 0; i < last; i += 16) if (differ(a + i, b + i)) return false;
  return !differ(a + last, b + last);
}

function differ(a: usize, b: usize): bool {
  return v128.any_true(v128.xor(v128.load(a), v128.load(b)));
}
