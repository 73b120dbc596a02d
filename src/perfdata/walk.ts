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
    const faulty = (await isAt(window, offset, RECORD_HEAD_BYTES, end))
      ? await readHead(window, offset, end, record)
      : `the last record, at byte ${offset}, is cut`;
    if (faulty !== null) return damage.add(faulty);
    offset += record.end - record.at + take(record);
  }
}

/** What is wrong with the record, or null; the whole record is in memory then. */
async function readHead(window: FileWindow, offset: number, end: number, to: FileRecord): Promise<string | null> {
  const sizeBytes = window.view.getUint16(offset - window.start + 6, true);
  if (sizeBytes < RECORD_HEAD_BYTES)
    return `the record at byte ${offset} has a size of ${sizeBytes}: what stands behind it is not read`;
  if (!(await isAt(window, offset, sizeBytes, end))) return `the last record, at byte ${offset}, is cut`;
  to.view = window.view;
  to.at = offset - window.start;
  to.end = to.at + sizeBytes;
  to.offset = offset;
  to.type = to.view.getUint32(to.at, true);
  to.misc = to.view.getUint16(to.at + 4, true);
  return null;
}

/** Waits only where another block has to be read. */
function isAt(window: FileWindow, offset: number, count: number, end: number): boolean | Promise<boolean> {
  if (offset + count > end) return false;
  return window.holds(offset, count) || window.moveTo(offset).then(() => window.holds(offset, count));
}
