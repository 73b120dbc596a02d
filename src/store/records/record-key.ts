/**
 * Identifies the records of a thread by their content.
 */
import type { TraceRecord } from '../../model/trace/trace-chunk.js';

export type RecordKey = string | number;

type Direction = Extract<TraceRecord, { what: 'switch' }>['direction'];

const DIRECTION_NUMBERS: Readonly<Record<Direction, number>> = { in: 0, out: 1, preempted: 2 };
const DIRECTIONS = 3;
/** Switches on CPUs with higher numbers have text as their key, as do those after three quarters of an hour. */
const CPUS = 1024;

/** Equal for equal records of the same thread. Most records are switches: a number takes less time and memory than text. */
export function recordKey(record: TraceRecord): RecordKey {
  if (record.what !== 'switch' || record.cpu + 1 >= CPUS) return JSON.stringify(record);
  const key = (record.timeNs * DIRECTIONS + DIRECTION_NUMBERS[record.direction]) * CPUS + record.cpu + 1;
  return Number.isInteger(record.timeNs) && Number.isSafeInteger(key) ? key : JSON.stringify(record);
}
