/**
 * Rows of a thread in pages. As many pages as there are slots for are in memory; if there are more, the others are in a
 * temporary file.
 */
import { NONE } from '../units.js';

/** Rows of a page, unless a test wants less: a power of two. */
export const PAGE_ROWS = 1 << 14;

/** Where pages are that are not in memory: appended to, and read at any place. */
export interface PageFile {
  /** Returns the place of what was appended. @throws PtflameError TEMPORARY_FILE */
  append(numbers: Int32Array): number;
  /** @throws PtflameError TEMPORARY_FILE */
  read(place: number, into: Int32Array): void;
}

/** The memory of pages, which a module may share. */
export interface PageMemory {
  /** A slot for each page that can be in memory. */
  readonly slots: Int32Array;
  /** By page: its slot, or NONE. */
  readonly slotOf: Int32Array;
  /** By slot: 1 if the page is to be written to the file before its slot is used for another one. */
  readonly isChanged: Uint8Array;
}

export class Pages {
  readonly slotOf: Int32Array;
  readonly isChanged: Uint8Array;
  readonly slotCount: number;
  readonly file: PageFile;
  private readonly slots: Int32Array;
  readonly pageRows: number;
  private readonly bits: number;
  private readonly pageOf: Int32Array;
  /** By page: its place in the file, or NONE. */
  private readonly placeOf: Float64Array;
  private readonly pageInts: number;
  private readonly fill: (slot: number, page: number) => void;
  private used = 0;
  private oldest = 0;

  /** `fill`: makes the rows of a slot those of a page that was never changed. */
  constructor(
    { slots, slotOf, isChanged }: PageMemory,
    pageRows: number,
    file: PageFile,
    fill: (slot: number, page: number) => void = () => {},
  ) {
    this.slots = slots;
    this.slotOf = slotOf.fill(NONE);
    this.isChanged = isChanged;
    this.slotCount = isChanged.length;
    this.pageInts = slots.length / isChanged.length;
    this.pageRows = pageRows;
    this.bits = Math.log2(pageRows);
    this.file = file;
    this.fill = fill;
    this.pageOf = new Int32Array(this.slotCount);
    this.placeOf = new Float64Array(slotOf.length).fill(NONE);
  }

  /** Returns the slot of the page with a row. It is valid until another page is needed. */
  slotAt(row: number): number {
    const page = row >>> this.bits;
    const slot = this.slotOf[page];
    return slot === NONE ? this.load(page) : slot;
  }

  /** The same, if the row is about to be changed. */
  slotToChange(row: number): number {
    const slot = this.slotAt(row);
    this.isChanged[slot] = 1;
    return slot;
  }

  private load(page: number): number {
    const slot = this.used < this.slotCount ? this.used++ : this.freed();
    const place = this.placeOf[page];
    if (place === NONE) this.fill(slot, page);
    else this.file.read(place, this.numbersOf(slot));
    this.isChanged[slot] = 0;
    this.pageOf[slot] = page;
    this.slotOf[page] = slot;
    return slot;
  }

  /** Returns the slot of the page that has been in memory for longest. */
  private freed(): number {
    const slot = this.oldest;
    this.oldest = slot + 1 === this.slotCount ? 0 : slot + 1;
    const page = this.pageOf[slot];
    if (this.isChanged[slot] === 1) this.placeOf[page] = this.file.append(this.numbersOf(slot));
    this.slotOf[page] = NONE;
    return slot;
  }

  private numbersOf(slot: number): Int32Array {
    return this.slots.subarray(slot * this.pageInts, (slot + 1) * this.pageInts);
  }
}

/** Returns how many pages rows take: one at least. */
export function pagesOf(rows: number, pageRows: number): number {
  return Math.max(1, Math.ceil(rows / pageRows));
}
