/**
 * Memory in which one thread's events are put in order: used again for the next thread, because new memory is slow.
 */
import type { EventRows } from './lanes/lane-rows.js';
import type { ThreadSource } from './thread-source.js';

/** What the lanes hold, and what is made of it. */
export interface ThreadMemory {
  readonly lanes: EventRows;
  readonly merged: EventRows;
}

const ROW_BYTES = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT;

/** Bytes that are needed to put a thread's events and records in order. */
export function threadBytes(source: ThreadSource): number {
  return (isOneLane(source) ? 1 : 2) * ROW_BYTES * rowsOf(source);
}

/** It is put in order where it lies. */
function isOneLane({ lanes, packed }: ThreadSource): boolean {
  return (packed?.thread.lanes ?? lanes).length === 1;
}

/** An even number: columns of whole words lie one behind the other. */
function rowsOf({ events, records, unownedGaps }: ThreadSource): number {
  const rows =
    events + records.length + unownedGaps.reduce((sum, { timeNs }) => sum + Math.min(timeNs.length, events + 1), 0);
  return rows + (rows % 2);
}

/** `buffer`: as large as `threadBytes` says, at least. */
export function threadMemory(buffer: ArrayBuffer | SharedArrayBuffer, source: ThreadSource): ThreadMemory {
  const rows = rowsOf(source);
  const rowsAt = (at: number): EventRows => ({
    timeNs: new Float64Array(buffer, at, rows),
    site: new Uint32Array(buffer, at + Float64Array.BYTES_PER_ELEMENT * rows, rows),
  });
  return { lanes: rowsAt(0), merged: rowsAt(isOneLane(source) ? 0 : ROW_BYTES * rows) };
}
