/**
 * Inserts switches, gaps and execs among a thread's branch events by time.
 */
import { SwitchKind } from '../../model/samples/switch-columns.js';
import { BranchKind, type RecordKind, recordSite, TraceEdge } from '../../model/trace/branch-sites.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { EventRows, SiteEdges } from '../lanes/lane-rows.js';
import { lastRowAt, type MergedLanes } from '../lanes/merge-lanes.js';
import type { RareRecord } from './record-key.js';
import type { SwitchTimes } from './switch-log.js';

/** `switches`: the columns may be longer than `length`. */
export interface InsertedRecords {
  readonly records: readonly RareRecord[];
  readonly switches: SwitchTimes;
}

/**
 * Inserts records into the rows of the merged events, which have space for them. Among events of the same time, a
 * record goes before the first trace start, because it is what led to the start. A record from before the recording,
 * such as an error with a garbled time, goes to its beginning.
 */
export function insertRecords(
  { tid, recordingStartNs }: { readonly tid: Tid; readonly recordingStartNs: Nanoseconds },
  merged: MergedLanes,
  inserted: InsertedRecords,
  sites: SiteEdges,
  { site, timeNs }: EventRows,
): ThreadEvents {
  const placed = placedRecords(inserted, merged, sites);
  const length = merged.length + placed.length;
  // From the last record to the first, so that each event moves once, by the number of records before it.
  let end = merged.length;
  for (let at = placed.length - 1; at >= 0; at--) {
    const row = placed.row[at];
    site.copyWithin(row + at + 1, row, end);
    timeNs.copyWithin(row + at + 1, row, end);
    site[row + at] = recordSite(placed.kind[at] as RecordKind);
    timeNs[row + at] = Math.max(placed.timeNs[at], row === 0 ? recordingStartNs : timeNs[row - 1]);
    end = row;
  }
  return { tid, length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length) };
}

/** In the order in which they are inserted: columns, because a thread may have many switches. */
interface PlacedRecords {
  readonly length: number;
  /** The row of the first event after it. */
  readonly row: Uint32Array;
  readonly timeNs: Float64Array;
  readonly kind: Uint8Array; // RecordKind
}

function placedRecords({ records, switches }: InsertedRecords, merged: MergedLanes, sites: SiteEdges): PlacedRecords {
  const others = records.filter(({ what }) => what === 'gap' || what === 'exec');
  const length = switches.length + others.length;
  const timeNs = new Float64Array(length);
  const kind = new Uint8Array(length);
  timeNs.set(switches.timeNs.subarray(0, switches.length));
  for (let row = 0; row < switches.length; row++) kind[row] = KINDS[switches.kind[row] as SwitchKind];
  others.forEach((record, other) => {
    timeNs[switches.length + other] = record.timeNs;
    kind[switches.length + other] = record.what === 'gap' ? BranchKind.Gap : BranchKind.Exec;
  });
  const row = Uint32Array.from(timeNs, (atNs) => rowAfter(atNs, merged, sites));
  return inOrder({ length, row, timeNs, kind });
}

const KINDS: Readonly<Record<SwitchKind, RecordKind>> = {
  [SwitchKind.In]: BranchKind.SwitchIn,
  [SwitchKind.Out]: BranchKind.SwitchOut,
  [SwitchKind.Preempted]: BranchKind.PreemptOut,
};

/** Switches alone mostly are in order. */
function inOrder(placed: PlacedRecords): PlacedRecords {
  const { length, row, timeNs, kind } = placed;
  const compare = (a: number, b: number) => row[a] - row[b] || timeNs[a] - timeNs[b] || kind[a] - kind[b];
  let ordered = 1;
  while (ordered < length && compare(ordered - 1, ordered) <= 0) ordered++;
  if (ordered >= length) return placed;
  const order = new Uint32Array(length).map((_, at) => at).sort(compare);
  return {
    length,
    row: order.map((at) => row[at]),
    timeNs: Float64Array.from(order, (at) => timeNs[at]),
    kind: Uint8Array.from(order, (at) => kind[at]),
  };
}

/** Returns the row of the first event after a record. */
function rowAfter(atNs: Nanoseconds, { timeNs, site }: MergedLanes, { edge }: SiteEdges): number {
  const after = lastRowAt(timeNs, atNs) + 1;
  let row = after;
  for (let before = after - 1; before >= 0 && timeNs[before] === atNs; before--) {
    if (edge[site[before]] === TraceEdge.Begin) row = before;
  }
  return row;
}
