/**
 * What the kernel exports.
 */
import { endRun, events, faults, runs, schedule, sites } from './events';
import { allocate, Column } from './memory';
import { records } from './packets/input';

export { forgetCode } from './blocks';
export { setTiming } from './clock/settings';
export { currentSlot, forgetEvents, nsOf, setClock } from './events';
export { decodeWindow, startStream } from './packets/decode';
export { wantAllBranches } from './walk/direct';
export { setFiltered } from './walk/ends';

/** Space for code, a window, or what the host wants to write. */
export function space(bytes: usize): usize {
  return allocate(bytes);
}

function columnOf(which: i32): Column {
  endRun();
  if (which === 0) return events;
  if (which === 1) return runs;
  return which === 2 ? sites : faults;
}

/** 0: events, 1: runs, 2: sites, 3: errors. */
export function columnStart(which: i32): usize {
  return columnOf(which).start;
}

export function columnBytes(which: i32): usize {
  return columnOf(which).used;
}

/** Space for the rows of a CPU's schedule, and of a stream's records: layout.ts. */
export function writeSchedule(bytes: usize): usize {
  schedule.used = 0;
  return schedule.extend(bytes);
}

export function writeRecords(bytes: usize): usize {
  records.used = 0;
  return records.extend(bytes);
}
