/**
 * Groups the branches of a piece by lane (one thread on one CPU), in order.
 *
 * An event takes eight bytes: the branch and the nanoseconds since the previous event of the lane. The first event, and
 * any whose step does not fit, takes 16: FAR, the branch, and the time itself.
 */
import {
  LINE_BRANCH,
  LINE_BYTES,
  LINE_HEAD,
  LINE_NS,
  OTHER,
  RUN_BYTES,
  RUN_CPU,
  RUN_EVENTS,
  RUN_LAST_NS,
  RUN_LAST_ROW,
  RUN_LENGTH,
  RUN_TID,
} from './layout';
import { lines } from './lines';
import { GrowingBuffer } from './memory';

const EVENT_BYTES: usize = 8;
const FAR: u32 = u32.MAX_VALUE;
/** As in model/limits.ts: times further from the origin are damaged, which the parser reports line by line. */
const MAX_TIME_NS: i64 = 1 << 52;
/** No CPU's clock steps back further. */
const MAX_STEP_BACK_NS: i64 = 1_000_000;

/** By row of a head: the start of its second in nanoseconds, and its lane. */
const headRows = GrowingBuffer.make();
const HEAD_NS: usize = 0;
const HEAD_LANE: usize = 8;
const HEAD_BYTES: usize = 16;

/** By lane: the time of its last event, the offset of its next event, the last piece it was in, counts there, its key. */
const laneRows = GrowingBuffer.make();
const LANE_NS: usize = 0;
const LANE_AT: usize = 8;
const LANE_PIECE: usize = 12;
const LANE_EVENTS: usize = 16;
const LANE_FAR_EVENTS: usize = 20;
const LANE_LAST_ROW: usize = 24;
const LANE_TID: usize = 28;
const LANE_CPU: usize = 32;
const LANE_BYTES: usize = 40;

const runs = GrowingBuffer.make();
/** The lane of each run. */
const lanesOfRuns = GrowingBuffer.make();
const events = GrowingBuffer.make();
/** Number of the piece. */
let pieceNumber: u32 = 0;
let lowest: i64 = 0;
let highest: i64 = 0;

/** Adds the next lane. */
export function addLane(tid: i32, cpu: i32): void {
  const lane = laneRows.extend(LANE_BYTES);
  memory.fill(lane, 0, LANE_BYTES);
  store<i32>(lane, tid, LANE_TID);
  store<i32>(lane, cpu, LANE_CPU);
}

/** Adds the next head. */
export function addHead(seconds: f64, lane: u32): void {
  const facts = headRows.extend(HEAD_BYTES);
  store<i64>(facts, <i64>seconds * 1_000_000_000, HEAD_NS);
  store<u32>(facts, lane, HEAD_LANE);
}

export function clearHeadRows(): void {
  headRows.used = 0;
}

/**
 * Groups the branches of the first `count` lines; times count from the second `origin`. Returns false if times step
 * back too far or are too far from the origin: then the parser must read line by line.
 */
export function group(count: u32, origin: f64): bool {
  runs.used = 0;
  lanesOfRuns.used = 0;
  pieceNumber++;
  const originNs = <i64>origin * 1_000_000_000;
  if (!measure(count)) return false;
  if (highest - originNs > MAX_TIME_NS || originNs - lowest > MAX_TIME_NS) return false;
  layOut(originNs);
  write(count, originNs);
  return true;
}

/** Counts the events of each lane. */
function measure(count: u32): bool {
  let lastNs: i64 = i64.MIN_VALUE / 2;
  lowest = i64.MAX_VALUE;
  highest = i64.MIN_VALUE;
  const piece = pieceNumber;
  const end = lines.start + <usize>count * LINE_BYTES;
  for (let line = lines.start; line < end; line += LINE_BYTES) {
    if (load<i32>(line, LINE_BRANCH) === OTHER) continue;
    const head = headOf(line);
    const timeNs = timeOf(line, head);
    if (timeNs < lastNs - MAX_STEP_BACK_NS) return false;
    lastNs = timeNs;
    lowest = min(lowest, timeNs);
    highest = max(highest, timeNs);
    const lane = laneOf(head);
    if (load<u32>(lane, LANE_PIECE) !== piece) beginLane(lane, piece);
    const isFar: u32 = fits(timeNs - load<i64>(lane, LANE_NS)) ? 0 : 1;
    store<u32>(lane, load<u32>(lane, LANE_EVENTS) + 1, LANE_EVENTS);
    store<u32>(lane, load<u32>(lane, LANE_FAR_EVENTS) + isFar, LANE_FAR_EVENTS);
    store<i64>(lane, timeNs, LANE_NS);
    store<u32>(lane, <u32>((line - lines.start) / LINE_BYTES), LANE_LAST_ROW);
  }
  return true;
}

function beginLane(lane: usize, piece: u32): void {
  store<u32>(lane, piece, LANE_PIECE);
  store<u32>(lane, 0, LANE_EVENTS);
  store<u32>(lane, 0, LANE_FAR_EVENTS);
  store<i64>(lane, i64.MIN_VALUE / 2, LANE_NS);
  store<u32>(lanesOfRuns.extend(sizeof<u32>()), <u32>lane);
}

/** Lays out the runs: the events of each lane are contiguous. */
function layOut(originNs: i64): void {
  events.used = 0;
  let offset: u32 = 0;
  const end = lanesOfRuns.start + lanesOfRuns.used;
  for (let at = lanesOfRuns.start; at < end; at += sizeof<u32>()) {
    const lane = <usize>load<u32>(at);
    const count = load<u32>(lane, LANE_EVENTS);
    const bytes = (count + load<u32>(lane, LANE_FAR_EVENTS)) * <u32>EVENT_BYTES;
    const run = runs.extend(RUN_BYTES);
    store<f64>(run, <f64>load<i32>(lane, LANE_TID), RUN_TID);
    store<f64>(run, <f64>load<i32>(lane, LANE_CPU), RUN_CPU);
    store<f64>(run, <f64>(bytes / sizeof<u32>()), RUN_LENGTH);
    store<f64>(run, <f64>count, RUN_EVENTS);
    store<f64>(run, <f64>(load<i64>(lane, LANE_NS) - originNs), RUN_LAST_NS);
    store<f64>(run, <f64>load<u32>(lane, LANE_LAST_ROW), RUN_LAST_ROW);
    store<u32>(lane, offset, LANE_AT);
    store<i64>(lane, i64.MIN_VALUE / 2, LANE_NS);
    offset += bytes;
  }
  events.extend(offset);
}

function write(count: u32, originNs: i64): void {
  const end = lines.start + <usize>count * LINE_BYTES;
  for (let line = lines.start; line < end; line += LINE_BYTES) {
    const branch = load<i32>(line, LINE_BRANCH);
    if (branch === OTHER) continue;
    const head = headOf(line);
    const timeNs = timeOf(line, head);
    const lane = laneOf(head);
    const step = timeNs - load<i64>(lane, LANE_NS);
    const at = load<u32>(lane, LANE_AT);
    const event = events.start + at;
    store<i64>(lane, timeNs, LANE_NS);
    if (fits(step)) {
      store<i32>(event, branch);
      store<i32>(event, <i32>step, 4);
      store<u32>(lane, at + <u32>EVENT_BYTES, LANE_AT);
    } else {
      store<u32>(event, FAR);
      store<i32>(event, branch, 4);
      store<f64>(event, <f64>(timeNs - originNs), 8);
      store<u32>(lane, at + 2 * <u32>EVENT_BYTES, LANE_AT);
    }
  }
}

function headOf(line: usize): usize {
  return headRows.start + <usize>load<u32>(line, LINE_HEAD) * HEAD_BYTES;
}

function timeOf(line: usize, head: usize): i64 {
  return load<i64>(head, HEAD_NS) + load<u32>(line, LINE_NS);
}

function laneOf(head: usize): usize {
  return laneRows.start + <usize>load<u32>(head, HEAD_LANE) * LANE_BYTES;
}

function fits(step: i64): bool {
  return step === <i64>(<i32>step);
}

export function runsStart(): usize {
  return runs.start;
}

export function runsBytes(): usize {
  return runs.used;
}

export function eventsStart(): usize {
  return events.start;
}

export function eventsBytes(): usize {
  return events.used;
}

/** Earliest time of the grouped events; undefined if there is none. */
export function lowestNs(origin: f64): f64 {
  return <f64>(lowest - <i64>origin * 1_000_000_000);
}

export function highestNs(origin: f64): f64 {
  return <f64>(highest - <i64>origin * 1_000_000_000);
}
