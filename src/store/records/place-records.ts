/**
 * Switches, gaps and execs, put among a thread's branch events by their time.
 */
import { BranchKind, type RecordKind, siteOfRecord, TraceEdge } from '../../model/trace/branch-sites.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { EventRows, SiteEdges } from '../lanes/lane-rows.js';
import { lastRowAt, type MergedLanes } from '../lanes/merge-lanes.js';

/**
 * Among events of its own time a record stands before the first trace start: what it tells of led to the start. One from before
 * the recording, as an error with a garbled time, is told of at its beginning. `rows`: where the merged events lie, with room for
 * the records.
 */
export function placeRecords(
  { tid, recordingStartNs }: { readonly tid: Tid; readonly recordingStartNs: Nanoseconds },
  merged: MergedLanes,
  records: readonly TraceRecord[],
  sites: SiteEdges,
  { site, timeNs }: EventRows,
): ThreadEvents {
  const placed = records
    .filter(({ what }) => what !== 'fork' && what !== 'exit' && what !== 'traced')
    .map((record) => ({ record, kind: kindOf(record), row: rowBehind(record, merged, sites) }))
    .sort((a, b) => a.row - b.row || a.record.timeNs - b.record.timeNs || a.kind - b.kind);
  const length = merged.length + placed.length;
  // From the last one on, so that what is behind each of them moves once, by as many rows as records stand before it.
  let end = merged.length;
  placed.reverse().forEach(({ record, kind, row }, later) => {
    const count = placed.length - later;
    site.copyWithin(row + count, row, end);
    timeNs.copyWithin(row + count, row, end);
    site[row + count - 1] = siteOfRecord(kind);
    timeNs[row + count - 1] = Math.max(record.timeNs, row === 0 ? recordingStartNs : timeNs[row - 1]);
    end = row;
  });
  return { tid, length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length) };
}

/** The row of the first event behind the record. */
function rowBehind(record: TraceRecord, { timeNs, site }: MergedLanes, { edge }: SiteEdges): number {
  const behind = lastRowAt(timeNs, record.timeNs) + 1;
  let row = behind;
  for (let before = behind - 1; before >= 0 && timeNs[before] === record.timeNs; before--) {
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
