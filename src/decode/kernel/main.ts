/**
 * What the kernel exports.
 */
import { events, faults, runs, sites } from './events';
import { allocate, Column } from './memory';

export { forgetCode } from './blocks';
export { setTiming } from './clock';
export { currentSlot, forgetEvents, nsOf, setClock } from './events';
export { beginSchedule, decodeWindow, startStream, writeRecords, writeSchedule } from './packets';
export { wantAllBranches } from './walk';

/** Space for code, a window, or what the host wants to write. */
export function space(bytes: usize): usize {
  return allocate(bytes);
}

function columnOf(which: i32): Column {
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
