/**
 * Instructions and cycles, counted up to certain events, wherever another thread runs, and wherever the core's frequency
 * changes: for questions about single calls. Ordinary decoding only adds up.
 */
import {
  COUNT_BYTES,
  COUNT_CBR,
  COUNT_CYCLES,
  COUNT_EVENT_BYTES,
  COUNT_INSTRUCTIONS,
  COUNT_NS,
  COUNT_SITE,
  COUNT_SLOT,
  NO_SITE,
} from './layout';
import { Column } from './memory';
import { state } from './state';

export class Counted {
  /** Since the module began. */
  static instructions: u64 = 0;
  /** Of a walk that adds them up at its end. */
  static ahead: u64 = 0;
  /** While the program was traced: CYC packets also count on outside. */
  static cycles: u64 = 0;
  /** Cycles at the time of what is walked, which may be before the last packet. */
  static sampled: u64 = 0;
}

/** The walk has passed instructions. */
export function passInstructions(count: u64): void {
  state.instructions += count;
  Counted.instructions += count;
}

export const counts = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** The times of the events, in order; nothing is written down without them. */
export const watched = changetype<Column>(memory.data(offsetof<Column>(), 8));
let nextWatched: usize = 0;

/** Of a part: begins anew. */
export function forgetCounts(): void {
  counts.used = 0;
  nextWatched = 0;
}

/** Writes down an event, if its time is one of those; `eventBytes`: with it. Returns whether it is. */
export function countEvent(site: u32, ns: f64, eventBytes: u32): bool {
  while (nextWatched < watched.used && load<f64>(watched.start + nextWatched) < ns) nextWatched += 8;
  if (nextWatched === watched.used || load<f64>(watched.start + nextWatched) !== ns) return false;
  writeCounts(site, ns, eventBytes);
  return true;
}

/** Writes down that the thread or the frequency is another one from now on. Nothing ran since a change before it: that is forgotten. */
export function countChange(ns: f64, eventBytes: u32): void {
  if (watched.used === 0) return;
  const last = counts.start + counts.used - COUNT_BYTES;
  const isSame =
    counts.used !== 0 &&
    load<u32>(last, COUNT_SITE) === NO_SITE &&
    load<f64>(last, COUNT_INSTRUCTIONS) === <f64>(Counted.instructions + Counted.ahead);
  if (isSame) counts.used -= COUNT_BYTES;
  writeCounts(NO_SITE, ns, eventBytes);
}

function writeCounts(site: u32, ns: f64, eventBytes: u32): void {
  const row = counts.extend(COUNT_BYTES);
  store<f64>(row, ns, COUNT_NS);
  store<f64>(row, <f64>(Counted.instructions + Counted.ahead), COUNT_INSTRUCTIONS);
  store<f64>(row, <f64>Counted.sampled, COUNT_CYCLES);
  store<u32>(row, site, COUNT_SITE);
  store<u32>(row, state.slot, COUNT_SLOT);
  store<u32>(row, state.cbr, COUNT_CBR);
  store<u32>(row, eventBytes, COUNT_EVENT_BYTES);
}
