/**
 * Finds when threads were forked and exited.
 */
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { RecordKey } from './record-key.js';

/** null: not recorded. */
export interface Lifetime {
  readonly forkNs: Nanoseconds | null;
  readonly exitNs: Nanoseconds | null;
}

/** The kernel reuses thread ids: the last fork and the last exit count. */
export function lifetimesOf(records: ReadonlyMap<Tid, ReadonlyMap<RecordKey, TraceRecord>>): Map<Tid, Lifetime> {
  const lifetimes = new Map<Tid, Lifetime>();
  for (const [tid, own] of records) {
    let forkNs: Nanoseconds | null = null;
    let exitNs: Nanoseconds | null = null;
    for (const { what, timeNs } of own.values()) {
      if (what === 'fork') forkNs = Math.max(timeNs, forkNs ?? timeNs);
      if (what === 'exit') exitNs = Math.max(timeNs, exitNs ?? timeNs);
    }
    lifetimes.set(tid, { forkNs, exitNs });
  }
  return lifetimes;
}
