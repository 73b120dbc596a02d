/**
 * The events of a thread by row: on one CPU, or on all of them in chronological order.
 */
import { firstThat } from '../columns.js';
import type { Nanoseconds, SiteId, Tid } from '../units.js';
import { type PageFile, Pages, pagesOf } from './pages.js';

/** A site and a time. */
export const EVENT_BYTES = Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
const EVENT_INTS = EVENT_BYTES / Int32Array.BYTES_PER_ELEMENT;

/** Where events are kept: in memory as far as they fit, the others in a file. */
export interface EventSpace {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly pageRows: number;
  readonly file: PageFile;
  /** Pages in memory of what pairing finds for each event. */
  readonly pairedPages: number;
}

/** Events as columns: the first site and the first time are at these indexes. */
export interface EventSlice {
  readonly site: Uint32Array;
  readonly siteAt: number;
  readonly timeNs: Float64Array;
  readonly timeAt: number;
  readonly length: number;
}

/** Where events are written, from the two indexes on. */
export type RowSpace = Omit<EventSlice, 'length'>;

/** A loop copies so many faster than a call. */
const FEW_EVENTS = 64;

export function copyEvents({ site, siteAt, timeNs, timeAt, length }: EventSlice, into: RowSpace): void {
  if (length > FEW_EVENTS) {
    into.site.set(site.subarray(siteAt, siteAt + length), into.siteAt);
    into.timeNs.set(timeNs.subarray(timeAt, timeAt + length), into.timeAt);
    return;
  }
  for (let at = 0; at < length; at++) {
    into.site[into.siteAt + at] = site[siteAt + at];
    into.timeNs[into.timeAt + at] = timeNs[timeAt + at];
  }
}

export class ThreadEvents {
  readonly tid: Tid;
  length = 0;
  readonly pages: Pages;
  readonly pairedPages: number;
  private readonly site: Uint32Array;
  private readonly timeNs: Float64Array;
  private readonly pageRows: number;

  /** `rows`: how many events there may be. `read`: reads a page of them, as they were before any of it was changed. */
  constructor(
    tid: Tid,
    rows: number,
    { buffer, byteOffset, byteLength, pageRows, file, pairedPages }: EventSpace,
    read: (page: number, into: RowSpace) => void = () => {},
  ) {
    const pageInts = EVENT_INTS * pageRows;
    const pages = pagesOf(rows, pageRows);
    const slots = Math.min(pages, Math.max(1, Math.floor(byteLength / (EVENT_BYTES * pageRows))));
    this.tid = tid;
    this.pairedPages = Math.min(pages, pairedPages);
    this.pageRows = pageRows;
    this.site = new Uint32Array(buffer, byteOffset, slots * pageInts);
    this.timeNs = new Float64Array(buffer, byteOffset, (slots * pageInts) / 2);
    const memory = {
      slots: new Int32Array(buffer, byteOffset, slots * pageInts),
      slotOf: new Int32Array(pages),
      isChanged: new Uint8Array(slots),
    };
    const { site, timeNs } = this;
    this.pages = new Pages(memory, pageRows, file, (slot, page) =>
      read(page, { site, siteAt: this.siteIndex(slot, 0), timeNs, timeAt: this.timeIndex(slot, 0) }),
    );
  }

  siteAt(row: number): SiteId {
    return this.site[this.siteIndex(this.pages.slotAt(row), row)];
  }

  timeAt(row: number): Nanoseconds {
    return this.timeNs[this.timeIndex(this.pages.slotAt(row), row)];
  }

  set(row: number, site: SiteId, timeNs: Nanoseconds): void {
    const slot = this.pages.slotToChange(row);
    this.site[this.siteIndex(slot, row)] = site;
    this.timeNs[this.timeIndex(slot, row)] = timeNs;
  }

  /** Returns the events from a row on that are next to each other: valid until another page is needed. */
  from(row: number, end = this.length): EventSlice {
    const { site, timeNs, pageRows } = this;
    const slot = this.pages.slotAt(row);
    const length = Math.min(end - row, pageRows - (row & (pageRows - 1)));
    return { site, siteAt: this.siteIndex(slot, row), timeNs, timeAt: this.timeIndex(slot, row), length };
  }

  /** The same for writing: up to `end`. */
  private toWrite(row: number, end: number): EventSlice {
    this.pages.slotToChange(row);
    return this.from(row, end);
  }

  /** Writes events to rows from `row` on. */
  put(row: number, { site, siteAt, timeNs, timeAt, length }: EventSlice): void {
    for (let at = 0; at < length; ) {
      const out = this.toWrite(row + at, row + length);
      copyEvents({ site, siteAt: siteAt + at, timeNs, timeAt: timeAt + at, length: out.length }, out);
      at += out.length;
    }
  }

  /** Returns the first row, of those from `from` on, with at least this time; times must ascend. */
  firstRowFrom(atNs: Nanoseconds, from = 0): number {
    return firstThat(from, this.length, (row) => this.timeAt(row) >= atNs);
  }

  private siteIndex(slot: number, row: number): number {
    const { pageRows } = this;
    return (EVENT_INTS * slot + 2) * pageRows + (row & (pageRows - 1));
  }

  private timeIndex(slot: number, row: number): number {
    const { pageRows } = this;
    return (EVENT_INTS / 2) * slot * pageRows + (row & (pageRows - 1));
  }
}
