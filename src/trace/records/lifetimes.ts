/**
 * Finds when threads were forked and exited.
 */
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { RecordsByThread } from './record-key.js';

/** null: not recorded. */
export interface Lifetime {
  readonly forkNs: Nanoseconds | null;
  readonly exitNs: Nanoseconds | null;
}

const UNKNOWN: Lifetime = { forkNs: null, exitNs: null };

/** `switched`: threads that have switches. The kernel reuses thread ids: the last fork and the last exit count. */
export function lifetimesOf(records: RecordsByThread, switched: readonly Tid[]): Map<Tid, Lifetime> {
  const lifetimes = new Map(switched.map((tid) => [tid, UNKNOWN]));
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
