/**
 * Events of a thread for tests, in memory or in pages of a file.
 */
import type { PageFile } from '../../../src/model/trace/pages.js';
import { EVENT_BYTES, ThreadEvents } from '../../../src/model/trace/thread-events.js';

/** A file in memory. */
export class MemoryFile implements PageFile {
  readonly pages: Int32Array[] = [];

  append(numbers: Int32Array): number {
    return this.pages.push(numbers.slice()) - 1;
  }

  read(place: number, into: Int32Array): void {
    into.set(this.pages[place] as Int32Array);
  }
}

export const PAGE_ROWS = 2 ** 14;

/** `slots`: pages in memory. */
export function threadEvents(
  tid: number,
  site: ArrayLike<number>,
  timeNs: ArrayLike<number>,
  { pageRows, slots }: { readonly pageRows: number; readonly slots?: number } = { pageRows: PAGE_ROWS },
): ThreadEvents {
  const most = Math.max(1, Math.ceil(site.length / pageRows));
  const byteLength = EVENT_BYTES * pageRows * Math.min(slots ?? most, most);
  const buffer = new ArrayBuffer(byteLength);
  const pairedPages = slots ?? most;
  const space = { buffer, byteOffset: 0, byteLength, pageRows, file: new MemoryFile(), pairedPages };
  const events = new ThreadEvents(tid, site.length, space);
  for (let row = 0; row < site.length; row++) events.set(row, site[row] as number, timeNs[row] as number);
  events.length = site.length;
  return events;
}

/** The sites and times of all events. */
export function columnsOf(events: ThreadEvents): { readonly site: number[]; readonly timeNs: number[] } {
  const rows = Array.from({ length: events.length }, (_, row) => row);
  return { site: rows.map((row) => events.siteAt(row)), timeNs: rows.map((row) => events.timeAt(row)) };
}
