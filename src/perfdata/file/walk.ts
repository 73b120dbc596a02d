/**
 * The records of a recording one behind the other; over the trace itself the walk jumps.
 */
import type { Damage } from './damage.js';
import type { FileWindow } from './file-window.js';

/** A record in the block that is in memory; the next one overwrites it. */
export interface FileRecord {
  view: DataView;
  /** Where it begins and ends in the view. */
  at: number;
  end: number;
  /** Where it begins in the file. */
  offset: number;
  type: number;
  misc: number;
}

export const RECORD_HEAD_BYTES = 8;

/**
 * Shows each record; `take` says how many bytes of trace stand behind it. It stops where it cannot go on, and says why.
 */
export async function walkRecords(
  window: FileWindow,
  start: number,
  end: number,
  take: (record: FileRecord) => number,
  damage: Damage,
): Promise<void> {
  const record: FileRecord = { view: window.view, at: 0, end: 0, offset: 0, type: 0, misc: 0 };
  let offset = start;
  while (offset < end) {
    if (!holdsRecord(window, offset)) await window.moveTo(offset);
    const faulty = holdsRecord(window, offset) ? readHead(window, offset, end, record) : cut(offset);
    if (faulty !== null) return damage.add(faulty);
    offset += record.end - record.at + take(record);
  }
}

function holdsRecord(window: FileWindow, offset: number): boolean {
  return window.holds(offset, RECORD_HEAD_BYTES) && window.holds(offset, sizeOf(window, offset));
}

function sizeOf({ view, start }: FileWindow, offset: number): number {
  return view.getUint16(offset - start + 6, true);
}

function cut(offset: number): string {
  return `the last record, at byte ${offset}, is cut`;
}

/** What is wrong with the record, or null. */
function readHead(window: FileWindow, offset: number, end: number, to: FileRecord): string | null {
  const { view, start } = window;
  const sizeBytes = sizeOf(window, offset);
  if (sizeBytes < RECORD_HEAD_BYTES)
    return `the record at byte ${offset} has a size of ${sizeBytes}: what stands behind it is not read`;
  if (offset + sizeBytes > end) return cut(offset);
  to.view = view;
  to.at = offset - start;
  to.end = to.at + sizeBytes;
  to.offset = offset;
  to.type = view.getUint32(to.at, true);
  to.misc = view.getUint16(to.at + 4, true);
  return null;
}
