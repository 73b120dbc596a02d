/**
 * What the module exports.
 */
import { changes } from './blocks';
import { bundles } from './bundles';
import { forgetUnsure, lastUnsure as unsureOffset } from './clock';
import { counts, forgetCounts, watched } from './counts';
import { countFrom, endRun, events, faults, firstTick, forgetEvents, runs, schedule, sites } from './events';
import { COLUMN_BUNDLES, COLUMN_COUNTS, COLUMN_EVENTS, COLUMN_FAULTS, COLUMN_RUNS, COLUMN_SITES } from './layout';
import { allocate, Column, extendUncounted } from './memory';
import { records } from './packets/format';
import { isAtCut, marks } from './parts';
import { state } from './state';

export { forgetCode } from './blocks';
export { bundleRun, bundleRuns } from './bundles';
export { setBounds, setTiming } from './clock';
export { currentChanges, currentSlot, setClock, setSwitch } from './events';
export { decodeInstruction, instructionKind } from './instructions';
export { isFull } from './memory';
export { decodeWindow } from './packets/decode';
export { walkPlainly } from './packets/frequent';
export {
  expectMarks,
  hasStopped,
  limit,
  loadState,
  saveState,
  setMarks,
  startStream,
  stateBytes,
  stateSpace,
} from './parts';
export { compressReturns } from './walk/bits';
export { wantJumps } from './walk/direct';
export { setFiltered } from './walk/targets';

/** Space for code, a window, or what the host wants to write. */
export function space(bytes: usize): usize {
  return allocate(bytes);
}

function columnOf(which: i32): Column {
  endRun();
  if (which === COLUMN_COUNTS) countFrom(state.time);
  if (which === COLUMN_EVENTS) return events;
  if (which === COLUMN_BUNDLES) return bundles;
  if (which === COLUMN_RUNS) return runs;
  if (which === COLUMN_SITES) return sites;
  if (which === COLUMN_COUNTS) return counts;
  return which === COLUMN_FAULTS ? faults : marks;
}

/** COLUMN_… of layout.ts. */
export function columnStart(which: i32): usize {
  return columnOf(which).start;
}

export function columnBytes(which: i32): usize {
  return columnOf(which).used;
}

/** What was found is taken away. */
export function beginPart(): void {
  forgetEvents();
  forgetUnsure();
  forgetCounts();
  marks.used = 0;
}

export function stoppedAtCut(): bool {
  return isAtCut;
}

export function lastUnsure(): u64 {
  return unsureOffset;
}

export function firstEvent(): u64 {
  return firstTick;
}

/** Space for the rows of a CPU's schedule, and of a stream's records: layout.ts. */
export function writeSchedule(bytes: usize): usize {
  schedule.used = 0;
  return extendUncounted(schedule, bytes);
}

export function writeChanges(bytes: usize): usize {
  changes.used = 0;
  return extendUncounted(changes, bytes);
}

/** Times of events, in nanoseconds from the origin, in order: these are counted up to. */
export function writeWatched(bytes: usize): usize {
  watched.used = 0;
  return extendUncounted(watched, bytes);
}

export function writeRecords(bytes: usize): usize {
  records.used = 0;
  return extendUncounted(records, bytes);
}
