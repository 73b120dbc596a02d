/**
 * The memory in which one thread's events are merged, reused for the next thread because new memory is slow.
 */
import type { EventRows } from './lanes/lane-rows.js';
import type { ThreadSource } from './thread-source.js';

export interface ThreadMemory {
  readonly lanes: EventRows;
  readonly merged: EventRows;
}

const ROW_BYTES = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT;

/** Returns the bytes needed to merge a thread's events and records. */
export function threadBytes(source: ThreadSource): number {
  return (isOneLane(source) ? 1 : 2) * ROW_BYTES * rowsOf(source);
}

/** Returns what a thread of this size needs at most, on however many CPUs. */
export function maxThreadBytes(source: ThreadSource): number {
  return 2 * ROW_BYTES * rowsOf(source);
}

/** A single lane is ordered in place. */
function isOneLane({ lanes, packed }: ThreadSource): boolean {
  return (packed?.thread.lanes ?? lanes).length === 1;
}

/** Returns an even number, so that the columns, one after another, stay aligned. */
function rowsOf({ events, records, switches, unownedGaps }: ThreadSource): number {
  const gaps = unownedGaps.reduce((sum, { timeNs }) => sum + Math.min(timeNs.length, events + 1), 0);
  const rows = events + records.length + switches.length + gaps;
  return rows + (rows % 2);
}

/** Divides a buffer of at least `threadBytes`. */
export function threadMemory(buffer: ArrayBuffer | SharedArrayBuffer, source: ThreadSource): ThreadMemory {
  const rows = rowsOf(source);
  const rowsAt = (at: number): EventRows => ({
    timeNs: new Float64Array(buffer, at, rows),
    site: new Uint32Array(buffer, at + Float64Array.BYTES_PER_ELEMENT * rows, rows),
  });
  return { lanes: rowsAt(0), merged: rowsAt(isOneLane(source) ? 0 : ROW_BYTES * rows) };
}
