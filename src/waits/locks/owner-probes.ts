/**
 * Reads who owns a lock from probes where threads begin to wait for one, with the fields `lock` and `owner`.
 */
import type { SampleTable } from '../../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { type Groups, groupRows, lastRowAt, rowsOf } from '../input/group-rows.js';
import { sampleRows } from '../input/sample-rows.js';

export interface OwnerProbes {
  readonly timeNs: Float64Array;
  readonly lock: Float64Array; // Address
  readonly owner: Float64Array; // tid; 0: none at that moment
  readonly byWaiter: Groups;
}

/** `event`: such as `probe_libc:lock_slow`; null: there is no such probe. */
export function ownerProbesOf(samples: readonly SampleTable[], event: string | null): OwnerProbes {
  const { timeNs, tid, integers } = sampleRows(event === null ? [] : samples, event ?? '', ['lock', 'owner']);
  return { timeNs, lock: integers[0], owner: integers[1], byWaiter: groupRows(tid) };
}

/** Returns the first event with an owner's field among those of probes. */
export function ownerEventOf(samples: readonly SampleTable[]): string | null {
  const hasOwner = ({ fields }: SampleTable) =>
    ['lock', 'owner'].every((name) => fields.some((field) => field.name === name));
  return samples.find(hasOwner)?.event ?? null;
}

/** Returns who owned a lock when a thread found it taken, the last time within a span; NONE: not known. */
export function ownerWithin(
  { timeNs, lock, owner, byWaiter }: OwnerProbes,
  waiter: Tid,
  address: number,
  afterNs: Nanoseconds,
  untilNs: Nanoseconds,
): Tid {
  const row = lastRowAt(rowsOf(byWaiter, waiter), timeNs, untilNs);
  if (row === NONE || timeNs[row] <= afterNs || lock[row] !== address) return NONE;
  return owner[row] > 0 ? owner[row] : NONE;
}
