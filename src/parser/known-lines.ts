/**
 * Lines that were read before, but for their thread and time, need not be read again.
 *
 * What stands behind the time says which branch site a line tells of, and the same bytes always say the same. So they
 * are kept, in two parts: up to the arrow, found by what the address of the branch looks like, and behind it, found by
 * the address of the target. A line is known if every byte behind its time is; nothing is taken for granted.
 */
import { resized } from '../model/columns.js';
import { ByteArena } from './byte-arena.js';

/** Flags and the first address stand in so many bytes, the second address in so many. */
const LEFT_BYTES = 44;
const RIGHT_BYTES = 20;
/** In other columns many lines may look alike to the hash: those beyond so many are read anew. */
const MOST_ALIKE = 16;
const WORD = 8;
const FULL = -2;
const ARROW = Buffer.from(' => ', 'latin1');
/** What a trace of millions of sites would need beyond this is read anew each time. */
const MOST_BYTES = 96 * 1024 * 1024;

export class KnownLines {
  /** What was kept with the line that was found. */
  value = 0;
  /** Where its newline stands. */
  end = 0;
  private readonly arena = new ByteArena();
  private readonly lefts = new PartTable();
  private readonly rights = new PartTable();
  private bytes: Uint8Array = new Uint8Array();
  private view: DataView = new DataView(new ArrayBuffer(0));

  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether the line is known that goes on at `at`, behind its time. */
  find(at: number): boolean {
    if (at + LEFT_BYTES > this.bytes.length) return false;
    const left = this.findPart(this.lefts, this.leftHash(at), at);
    if (left < 0) return false;
    const rightAt = at + this.lefts.lengthOf(left);
    if (rightAt + RIGHT_BYTES > this.bytes.length) return false;
    const right = this.findPart(this.rights, this.rightHash(rightAt, left), rightAt);
    if (right < 0) return false;
    this.value = this.rights.valueOf(right);
    this.end = rightAt + this.rights.lengthOf(right) - 1;
    return true;
  }

  /** Keeps a line that goes on at `at` and ends before the newline at `end`. */
  learn(at: number, end: number, value: number): void {
    const arrow = Buffer.from(this.bytes.buffer, this.bytes.byteOffset + at, end - at).lastIndexOf(ARROW);
    const rightAt = at + arrow + ARROW.length;
    if (arrow === -1 || rightAt - at < LEFT_BYTES || end - rightAt < RIGHT_BYTES) return; // too short to be told apart
    if (this.arena.length > MOST_BYTES) return;
    const leftHash = this.leftHash(at);
    let left = this.findPart(this.lefts, leftHash, at);
    if (left === -1) left = this.keep(this.lefts, leftHash, at, rightAt, 0);
    else if (left === FULL) return;
    else if (this.lefts.lengthOf(left) !== rightAt - at) return; // a name has an arrow in it
    const rightHash = this.rightHash(rightAt, left);
    if (this.findPart(this.rights, rightHash, rightAt) !== -1) return;
    this.keep(this.rights, rightHash, rightAt, end + 1, value); // with its newline
  }

  private keep(table: PartTable, hash: number, start: number, end: number, value: number): number {
    const offset = this.arena.add(this.bytes.subarray(start, end));
    return table.add(hash, offset, end - start, value);
  }

  private findPart(table: PartTable, hash: number, at: number): number {
    let alike = 0;
    for (let slot = table.slotOf(hash); alike < MOST_ALIKE; slot = table.nextSlot(slot)) {
      const part = table.partAt(slot);
      if (part === -1) return -1;
      if (table.hashOf(part) !== hash) continue;
      if (this.isAt(at, table.offsetOf(part), table.lengthOf(part))) return part;
      alike++;
    }
    return FULL;
  }

  private isAt(at: number, offset: number, length: number): boolean {
    if (at + length > this.bytes.length) return false;
    const kept = this.arena.view;
    const last = length - WORD;
    for (let i = 0; i < last; i += WORD) if (!this.isWord(at + i, kept, offset + i)) return false;
    return this.isWord(at + last, kept, offset + last);
  }

  /**
   * Whether eight bytes are the same. They are compared as a number, the largest piece there is without a cost: one
   * that is none equals nothing, and zero may have been either zero, so neither is believed.
   */
  private isWord(at: number, kept: DataView, offset: number): boolean {
    const word = this.view.getFloat64(at, true);
    return word === kept.getFloat64(offset, true) && word !== 0;
  }

  /** Of flags and the first address: in perf's usual columns the words that differ most. */
  private leftHash(at: number): number {
    const { view } = this;
    return mixed(
      Math.imul(view.getInt32(at + 4, true), 0x9e3779b1) +
        Math.imul(view.getInt32(at + 8, true), 0x85ebca6b) +
        Math.imul(view.getInt32(at + 28, true), 0xc2b2ae35) +
        Math.imul(view.getInt32(at + 32, true), 0x27d4eb2f) +
        Math.imul(view.getInt32(at + 36, true), 0x165667b1) +
        Math.imul(view.getInt32(at + 40, true), 0x2c1b3c6d),
    );
  }

  /** Of the second address, behind a left part. */
  private rightHash(at: number, left: number): number {
    const { view } = this;
    return mixed(
      Math.imul(left, 0x9e3779b1) +
        Math.imul(view.getInt32(at, true), 0x85ebca6b) +
        Math.imul(view.getInt32(at + 4, true), 0xc2b2ae35) +
        Math.imul(view.getInt32(at + 8, true), 0x27d4eb2f) +
        Math.imul(view.getInt32(at + 12, true), 0x165667b1) +
        Math.imul(view.getInt32(at + 16, true), 0x2c1b3c6d),
    );
  }
}

/** Sums of products leave the low bits to the low bits alone. */
function mixed(sum: number): number {
  const low = sum | 0;
  return low ^ (low >>> 15);
}

/** Parts of lines by the hash of their first bytes: open addressing over typed arrays. */
class PartTable {
  private slots = new Int32Array(1024).fill(-1);
  private rows = new Int32Array(4 * 256); // hash, offset, length, value
  private length = 0;

  slotOf(hash: number): number {
    return hash & (this.slots.length - 1);
  }

  nextSlot(slot: number): number {
    return (slot + 1) & (this.slots.length - 1);
  }

  /** -1: the slot is free. */
  partAt(slot: number): number {
    return this.slots[slot];
  }

  hashOf(part: number): number {
    return this.rows[4 * part];
  }

  offsetOf(part: number): number {
    return this.rows[4 * part + 1];
  }

  lengthOf(part: number): number {
    return this.rows[4 * part + 2];
  }

  valueOf(part: number): number {
    return this.rows[4 * part + 3];
  }

  add(hash: number, offset: number, length: number, value: number): number {
    if (2 * this.length >= this.slots.length) this.grow();
    if (4 * (this.length + 1) > this.rows.length) this.rows = resized(this.rows, 2 * this.rows.length);
    const part = this.length++;
    this.rows.set([hash, offset, length, value], 4 * part);
    this.place(part);
    return part;
  }

  private place(part: number): void {
    let slot = this.slotOf(this.hashOf(part));
    while (this.slots[slot] !== -1) slot = this.nextSlot(slot);
    this.slots[slot] = part;
  }

  private grow(): void {
    this.slots = new Int32Array(4 * this.slots.length).fill(-1);
    for (let part = 0; part < this.length; part++) this.place(part);
  }
}
