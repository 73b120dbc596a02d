/**
 * Switches, gaps and execs, put among a thread's branch events by their time.
 */
import { BranchKind, type RecordKind, siteOfRecord, TraceEdge } from '../model/branch-sites.js';
import type { ThreadEvents } from '../model/thread-events.js';
import type { TraceRecord } from '../model/trace-chunk.js';
import type { Tid } from '../model/units.js';
import { lastRowAt, type MergedLanes, type SiteEdges } from './merge-lanes.js';

/** Among events of its own time a record stands before the first trace start: what it tells of led to the start. */
export function placeRecords(
  tid: Tid,
  merged: MergedLanes,
  records: readonly TraceRecord[],
  sites: SiteEdges,
): ThreadEvents {
  const { site: sitesInOrder, timeNs: times } = merged;
  if (records.length === 0) return { tid, length: merged.length, site: sitesInOrder, timeNs: times };
  const placed = records
    .filter((record) => record.what !== 'fork')
    .map((record) => ({ record, kind: kindOf(record), row: rowBehind(record, merged, sites) }))
    .sort((a, b) => a.row - b.row || a.record.timeNs - b.record.timeNs || a.kind - b.kind);
  const length = merged.length + placed.length;
  const site = new Uint32Array(length);
  const timeNs = new Float64Array(length);
  let from = 0;
  placed.forEach(({ record, kind, row }, count) => {
    site.set(merged.site.subarray(from, row), from + count);
    timeNs.set(merged.timeNs.subarray(from, row), from + count);
    site[row + count] = siteOfRecord(kind);
    timeNs[row + count] = row === 0 ? record.timeNs : Math.max(record.timeNs, merged.timeNs[row - 1]);
    from = row;
  });
  site.set(merged.site.subarray(from), from + placed.length);
  timeNs.set(merged.timeNs.subarray(from), from + placed.length);
  return { tid, length, site, timeNs };
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
