/**
 * Turns runs of events into bundles, which take a fraction of the space: src/model/trace/event-runs.ts says how they look.
 */
import { endRun, events, runs, sites } from './events';
import { MARK_EVENT_BYTES, MARK_RUNS, MARK_STATE, RUN_BYTES, RUN_EVENT_BYTES, SITE_BYTES } from './layout';
import { Column, extendUncounted, reserveUncounted } from './memory';
import { marks, stateBytes } from './parts';

const FAR: i32 = -1;
const BUNDLE: i32 = -2;
const HEAD_BYTES: usize = 32;
const HEAD_EVENTS: usize = 8;
const HEAD_SITES: usize = 12;
const HEAD_START: usize = 16;
const HEAD_END: usize = 24;
const MAX_EVENTS: u32 = 65_536;
const MAX_BYTE_SITES: u32 = 256;
const MAX_SAME_TIME: u32 = 255;
const LONG_STEP: u32 = 255;
/** The most bytes of a time. */
const TIME_BYTES: usize = 6;
/** Beyond it, rows of earlier bundles are dropped. */
const MAX_TAG: u32 = (1 << 31) - MAX_EVENTS;

export const bundles = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** By site: its row in the bundle that had it last, plus the tag of that. */
const rowOf = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** Of the bundle that is written: the rows of its events, two bytes each, and their times. */
const scratch = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** More than that of any bundle before, by more than its rows. */
let tag: u32 = 0;
let lastNs: f64 = 0;

/** Writes the events of all runs as bundles; of runs and marks, the bytes are those of bundles then. */
export function bundleRuns(): void {
  endRun();
  bundles.used = 0;
  const markBytes = <usize>MARK_STATE + stateBytes();
  let mark: usize = 0;
  let from: usize = events.start;
  for (let run: usize = 0; run <= runs.used; run += RUN_BYTES) {
    for (; mark < marks.used && <usize>load<u32>(marks.start + mark, MARK_RUNS) * RUN_BYTES === run; mark += markBytes)
      store<u32>(marks.start + mark, <u32>bundles.used, MARK_EVENT_BYTES);
    if (run === runs.used) break;
    const row = runs.start + run;
    const bytes = load<u32>(row, RUN_EVENT_BYTES);
    store<u32>(row, <u32>bundleRun(from, bytes, <u32>(sites.used / SITE_BYTES)), RUN_EVENT_BYTES);
    from += bytes;
  }
}

/** Adds the bundles of a run, whose sites are numbers below `siteCount`. Returns their bytes. */
export function bundleRun(from: usize, bytes: usize, siteCount: u32): usize {
  const before = bundles.used;
  if (rowOf.used < 4 * <usize>siteCount) {
    rowOf.used = 0;
    extendUncounted(rowOf, 8 * <usize>siteCount);
    forgetRows();
  }
  const end = from + bytes;
  for (let at = from; at < end; ) at = addBundle(at, end);
  return bundles.used - before;
}

function forgetRows(): void {
  memory.fill(rowOf.start, 0, rowOf.used);
  tag = 0;
}

/** Adds events until time steps back, or until a far event. Returns the address after them. */
function addBundle(from: usize, end: usize): usize {
  if (tag >= MAX_TAG) forgetRows();
  tag += MAX_EVENTS;
  const most = min<usize>((end - from) / 8, MAX_EVENTS);
  reserveUncounted(scratch, (2 + TIME_BYTES) * most + 32); // rows are read and written in steps of 16
  reserveUncounted(bundles, HEAD_BYTES + (4 + 2 + TIME_BYTES) * most + 32);
  const rowsBySite = rowOf.start;
  const own = bundles.start + bundles.used;
  const rows = scratch.start;
  const times = rows + 2 * most;
  const isFar = load<i32>(from) === FAR;
  const startNs = isFar ? load<f64>(from, 8) : lastNs + <f64>load<i32>(from, 4);
  let site = load<u32>(isFar ? from + 4 : from);
  let at = from + (isFar ? 16 : 8);
  let ns = startNs;
  let step: u32 = 0;
  let count: u32 = 0;
  let siteCount: u32 = 0;
  let time = times;
  for (;;) {
    const first = count;
    const last = min(first + MAX_SAME_TIME, MAX_EVENTS);
    for (;;) {
      const known = rowsBySite + 4 * <usize>site;
      let row = load<u32>(known);
      if (row < tag) {
        store<u32>(own + HEAD_BYTES + 4 * <usize>siteCount, site);
        row = tag + siteCount++;
        store<u32>(known, row);
      }
      store<u16>(rows + 2 * <usize>count, <u16>(row - tag));
      count++;
      if (count === last || at === end || load<u32>(at, 4) !== 0 || load<i32>(at) === FAR) break;
      site = load<u32>(at);
      at += 8;
    }
    ns += <f64>step;
    store<u8>(time, <u8>(count - first));
    store<u8>(time, <u8>min(step, LONG_STEP), 1);
    store<u32>(time, step, 2);
    time += step < LONG_STEP ? 2 : TIME_BYTES;
    if (count === MAX_EVENTS || at === end || load<i32>(at) === FAR || load<i32>(at, 4) < 0) break;
    site = load<u32>(at);
    step = load<u32>(at, 4);
    at += 8;
  }
  lastNs = ns;
  store<i32>(own, BUNDLE);
  store<u32>(own, count, HEAD_EVENTS);
  store<u32>(own, siteCount, HEAD_SITES);
  store<f64>(own, startNs, HEAD_START);
  store<f64>(own, ns, HEAD_END);
  let next = padded(writeRows(rows, count, siteCount, own + HEAD_BYTES + 4 * <usize>siteCount));
  memory.copy(next, times, time - times);
  next = padded(next + (time - times));
  store<u32>(own, <u32>(next - own) / 4, 4);
  bundles.used += next - own;
  return at;
}

/** One byte each, if all fit. Returns the address after them. */
function writeRows(rows: usize, count: u32, siteCount: u32, to: usize): usize {
  if (siteCount > MAX_BYTE_SITES) {
    memory.copy(to, rows, 2 * <usize>count);
    return to + 2 * <usize>count;
  }
  for (let row: usize = 0; row < count; row += 16) {
    const from = rows + 2 * row;
    v128.store(to + row, i8x16.narrow_i16x8_u(v128.load(from), v128.load(from, 16)));
  }
  return to + count;
}

/** The next bundle is aligned. */
function padded(at: usize): usize {
  return (at + 3) & ~3;
}
