/**
 * Inserts switches, gaps and execs among a thread's branch events by time.
 */
import { BranchKind, type RecordKind, recordSite, TraceEdge } from '../../model/trace/branch-sites.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { EventRows, SiteEdges } from '../lanes/lane-rows.js';
import { lastRowAt, type MergedLanes } from '../lanes/merge-lanes.js';

/**
 * Inserts records into the rows of the merged events, which have space for them. Among events of the same time, a
 * record goes before the first trace start, because it is what led to the start. A record from before the recording,
 * such as an error with a garbled time, goes to its beginning.
 */
export function insertRecords(
  { tid, recordingStartNs }: { readonly tid: Tid; readonly recordingStartNs: Nanoseconds },
  merged: MergedLanes,
  records: readonly TraceRecord[],
  sites: SiteEdges,
  { site, timeNs }: EventRows,
): ThreadEvents {
  const placed = records
    .filter(({ what }) => what !== 'fork' && what !== 'exit' && what !== 'traced')
    .map((record) => ({ record, kind: kindOf(record), row: rowAfter(record, merged, sites) }))
    .sort((a, b) => a.row - b.row || a.record.timeNs - b.record.timeNs || a.kind - b.kind);
  const length = merged.length + placed.length;
  // From the last record to the first, so that each event moves once, by the number of records before it.
  let end = merged.length;
  placed.reverse().forEach(({ record, kind, row }, later) => {
    const count = placed.length - later;
    site.copyWithin(row + count, row, end);
    timeNs.copyWithin(row + count, row, end);
    site[row + count - 1] = recordSite(kind);
    timeNs[row + count - 1] = Math.max(record.timeNs, row === 0 ? recordingStartNs : timeNs[row - 1]);
    end = row;
  });
  return { tid, length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length) };
}

/** Returns the row of the first event after the record. */
function rowAfter(record: TraceRecord, { timeNs, site }: MergedLanes, { edge }: SiteEdges): number {
  const after = lastRowAt(timeNs, record.timeNs) + 1;
  let row = after;
  for (let before = after - 1; before >= 0 && timeNs[before] === record.timeNs; before--) {
    if (edge[site[before]] === TraceEdge.Begin) row = before;
  }
  return row;
}

function kindOf(record: TraceRecord): RecordKind {
  if (record.what === 'gap') return BranchKind.Gap;
  if (record.what !== 'switch') return BranchKind.Exec;
  if (record.direction === 'in') return BranchKind.SwitchIn;
  return record.direction === 'out' ? BranchKind.SwitchOut : BranchKind.PreemptOut;
}
