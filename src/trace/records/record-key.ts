/**
 * Identifies the records of a thread by their content.
 */
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { SwitchRecord } from './switch-log.js';

/** Switches are not among them: there are millions. */
export type RareRecord = Exclude<TraceRecord, SwitchRecord>;

/** By thread, then by key. */
export type RecordsByThread = ReadonlyMap<number, ReadonlyMap<string, RareRecord>>;

/** Equal for equal records of the same thread. */
export function recordKey(record: RareRecord): string {
  return JSON.stringify(record);
}
