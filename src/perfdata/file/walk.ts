/**
 * Walks over the records of a recording, skipping the trace.
 */
import type { Damage } from './damage.js';
import type { FileWindow } from './file-window.js';

/** A record in the current block; overwritten by the next record. */
export interface FileRecord {
  view: DataView;
  /** Offsets of its start and end in the view. */
  at: number;
  end: number;
  /** Offset in the file. */
  offset: number;
  type: number;
  misc: number;
}

export const RECORD_HEAD_BYTES = 8;

/**
 * Calls `visit` with each record; it returns how many bytes of trace follow. If the walk cannot continue, the reason is added to
 * `damage`.
 */
export async function walkRecords(
  window: FileWindow,
  start: number,
  end: number,
  visit: (record: FileRecord) => number,
  damage: Damage,
): Promise<void> {
  const record: FileRecord = { view: window.view, at: 0, end: 0, offset: 0, type: 0, misc: 0 };
  let offset = start;
  while (offset < end) {
    if (!holdsRecord(window, offset)) await window.moveTo(offset);
    const faulty = holdsRecord(window, offset) ? readHead(window, offset, end, record) : cut(offset);
    if (faulty !== null) return damage.add(faulty);
    offset += record.end - record.at + visit(record);
  }
}

function holdsRecord(window: FileWindow, offset: number): boolean {
  return window.holds(offset, RECORD_HEAD_BYTES) && window.holds(offset, sizeOf(window, offset));
}

function sizeOf({ view, start }: FileWindow, offset: number): number {
  return view.getUint16(offset - start + 6, true);
}

function cut(offset: number): string {
  return `the last record, at byte ${offset}, is truncated`;
}

/** Returns the fault of the record, or null. */
function readHead(window: FileWindow, offset: number, end: number, to: FileRecord): string | null {
  const { view, start } = window;
  const sizeBytes = sizeOf(window, offset);
  if (sizeBytes < RECORD_HEAD_BYTES)
    return `the record at byte ${offset} has a size of ${sizeBytes}: everything after it is ignored`;
  if (offset + sizeBytes > end) return cut(offset);
  to.view = view;
  to.at = offset - start;
  to.end = to.at + sizeBytes;
  to.offset = offset;
  to.type = view.getUint32(to.at, true);
  to.misc = view.getUint16(to.at + 4, true);
  return null;
}
