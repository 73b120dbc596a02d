/**
 * Lists the files that were mapped into processes that ran: a recording of all CPUs has the mappings of all processes.
 */
import type { Recording } from '../../src/perfdata/recording.js';

/** Returns their recorded paths, as text. */
export function ranFiles({ sideband }: Recording): Set<string> {
  const pids = ranPids(sideband);
  const files = new Set<string>();
  for (const { record } of sideband)
    if (record.what === 'mmap' && pids.has(record.pid)) files.add(Buffer.from(record.file, 'latin1').toString());
  return files;
}

/** A process also has the mappings that its parent had when it forked. */
function ranPids(sideband: Recording['sideband']): Set<number> {
  const pids = new Set<number>();
  const parentOf = new Map<number, number>();
  for (const { record, pid, next } of sideband) {
    if (record.what === 'traced') pids.add(record.pid);
    if (record.what === 'switch') pids.add(pid);
    if (record.what === 'fork' && record.pid !== record.parentPid) parentOf.set(record.pid, record.parentPid);
    if (next !== undefined) pids.add(next.pid);
  }
  for (const pid of pids) {
    const parent = parentOf.get(pid);
    if (parent !== undefined) pids.add(parent); // sets visit what is added during the loop
  }
  return pids;
}
