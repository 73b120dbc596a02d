/**
 * What the module's functions share while they run: where everything is, and what has been listed for replay.
 */
import {
  FRAME_BYTES,
  FRAME_LOG_ROW,
  FUNCTION_BITS,
  FUNCTION_TRAITS,
  HEAD_ACTIONS,
  HEAD_DOUBTFUL,
  HEAD_DOUBTFUL_COUNT,
  HEAD_DURATION_COUNT,
  HEAD_DURATIONS,
  HEAD_FUNCTIONS,
  HEAD_INFERRED,
  HEAD_INFERRED_COUNT,
  HEAD_IS_CHANGED,
  HEAD_LINKS,
  HEAD_LOG_CODE,
  HEAD_LOG_COUNT,
  HEAD_LOG_EVENT,
  HEAD_LOG_FAR,
  HEAD_LOG_FAR_COUNT,
  HEAD_LOG_LAST_NS,
  HEAD_LOG_LENGTH,
  HEAD_LOG_SINCE,
  HEAD_PAGE_BITS,
  HEAD_PAIRED,
  HEAD_RENAMES,
  HEAD_RENAMES_COUNT,
  HEAD_RULES,
  HEAD_SITES,
  HEAD_SLOT_OF,
  HEAD_STACK,
  LIST_ENTRIES,
  LISTED_BYTES,
  LISTED_ID,
  LISTED_NS,
  NONE,
  PAIR_BYTES,
  PAIRED_BYTES,
  RULE_LOG,
} from './layout';
import {
  BUCKETS,
  EXACT_BUCKETS,
  LOG_CLOSE,
  LOG_DOUBT,
  LOG_END_STOP,
  LOG_FAR,
  LOG_KNOWN_TIME,
  LOG_OP_BITS,
  LOG_OPEN,
  LOG_STOP,
} from './rules';

/** An event ends at most this many calls. */
export const MAX_ENDED: u32 = 128;
/** Of a number of 64 bits, so that five bits of the fraction are left below the exponent. */
const MANTISSA_SHIFT: u64 = 52 - 5;
/** In these, the bucket of a duration of 2^4: where the powers of two would begin. */
const FIRST_POWER: u32 = (1023 + 4) << 5;
/** It lists less than this: a call may need two rows of the log. */
const MAX_LISTED: u32 = 3 * MAX_ENDED;

export let sites: usize = 0;
export let functions: usize = 0;
export let actions: usize = 0;
export let links: usize = 0;
export let stack: usize = 0;
export let rules: u32 = 0;
let durations: usize = 0;
let inferred: usize = 0;
let doubtful: usize = 0;
let durationCount: u32 = 0;
let inferredCount: u32 = 0;
let doubtfulCount: u32 = 0;
/** Entries of all lists together. */
let listed: u32 = 0;

export function beginThread(): void {
  sites = load<u32>(HEAD_SITES);
  functions = load<u32>(HEAD_FUNCTIONS);
  actions = load<u32>(HEAD_ACTIONS);
  links = load<u32>(HEAD_LINKS);
  stack = load<u32>(HEAD_STACK);
  rules = load<u32>(HEAD_RULES);
  durations = load<u32>(HEAD_DURATIONS);
  inferred = load<u32>(HEAD_INFERRED);
  doubtful = load<u32>(HEAD_DOUBTFUL);
  durationCount = 0;
  inferredCount = 0;
  doubtfulCount = 0;
  listed = 0;
}

export function endThread(): void {
  store<u32>(HEAD_DURATION_COUNT, durationCount);
  store<u32>(HEAD_INFERRED_COUNT, inferredCount);
  store<u32>(HEAD_DOUBTFUL_COUNT, doubtfulCount);
}

/** True if a list might not have space for another event. */
export function areListsFull(): bool {
  return listed > <u32>LIST_ENTRIES - MAX_LISTED;
}

/** Lists how long a complete call of a symbol took. */
export function listDuration(symbol: i32, ns: f64): void {
  listed++;
  const pair = durations + <usize>durationCount * PAIR_BYTES;
  durationCount++;
  store<i32>(pair, symbol);
  store<u32>(pair, bucketOf(ns), 4);
}

/** Returns the bucket of a duration in whole nanoseconds. Above the first ones, it is the power of two and five bits. */
function bucketOf(ns: f64): u32 {
  if (ns < EXACT_BUCKETS) return <u32>ns;
  const bucket = <u32>(reinterpret<u64>(ns) >> MANTISSA_SHIFT) - FIRST_POWER;
  return min(bucket, BUCKETS - 1);
}

/** Lists a call that a hidden jump began, and the certain part of its duration. */
export function listInferred(node: i32, knownNs: f64): void {
  list(inferred, inferredCount++, node, knownNs);
}

/** Lists time of a node that is inferred, for the reason in HEAD_DOUBT. */
export function listDoubtful(node: u32, ns: f64): void {
  list(doubtful, doubtfulCount++, node, ns);
}

/** Writes the entry of a list that has `count` others. */
export function list(entries: usize, count: u32, id: u32, ns: f64): void {
  listed++;
  const entry = entries + <usize>count * LISTED_BYTES;
  store<f64>(entry, ns, LISTED_NS);
  store<u32>(entry, id, LISTED_ID);
}

/** Returns the frame at an index of the stack. */
export function frameAt(index: u32): usize {
  return stack + <usize>index * FRAME_BYTES;
}

/** Returns the row of a function. */
export function functionRow(fn: i32): usize {
  return functions + ((<usize>fn) << FUNCTION_BITS);
}

export function traitsOf(fn: i32): i32 {
  return load<i32>(functionRow(fn), FUNCTION_TRAITS);
}

/** Returns what an event does. */
export function actionAt(row: u32): i32 {
  return load<u8>(actions + row);
}

/** Returns the row that an event of the window is linked to, or NONE. */
export function linkAt(row: u32): i32 {
  return load<i32>(links + ((<usize>row) << 2));
}

/** Returns the same of any row; NONE also if its page is not in memory. */
export function linkAnywhere(row: u32): i32 {
  const page = pageOf(row);
  return page === 0 ? NONE : load<i32>(page + ((<usize>row & pageMask()) << 2));
}

/** Links a row to another one. False if its page is not in memory. */
export function setLinkAnywhere(row: u32, link: u32): bool {
  const page = pageOf(row);
  if (page === 0) return false;
  store<u32>(page + ((<usize>row & pageMask()) << 2), link);
  store<u8>(<usize>load<u32>(HEAD_IS_CHANGED) + slotOf(row), 1);
  return true;
}

/** Returns the address of the links of the page with a row; 0: it is not in memory. */
function pageOf(row: u32): usize {
  const slot = slotOf(row);
  return slot === NONE
    ? 0
    : <usize>load<u32>(HEAD_PAIRED) + ((<usize>slot * PAIRED_BYTES) << load<u32>(HEAD_PAGE_BITS));
}

function slotOf(row: u32): i32 {
  return load<i32>(<usize>load<u32>(HEAD_SLOT_OF) + ((row >> load<u32>(HEAD_PAGE_BITS)) << 2));
}

function pageMask(): usize {
  return (1 << load<u32>(HEAD_PAGE_BITS)) - 1;
}

let codes: usize = 0;
let sinces: usize = 0;
let fars: usize = 0;
let events: usize = 0;
let renames: usize = 0;
let length: u32 = 0;
let lastNs: f64 = 0;
let count: u32 = 0;
let farCount: u32 = 0;
let renameCount: u32 = 0;

/** Writes rows for the call log, if there is one: the same as in model/calls/call-log.ts. */
export function beginLog(): void {
  codes = load<u32>(HEAD_LOG_CODE);
  sinces = load<u32>(HEAD_LOG_SINCE);
  fars = load<u32>(HEAD_LOG_FAR);
  events = load<u32>(HEAD_LOG_EVENT);
  renames = load<u32>(HEAD_RENAMES);
  length = load<u32>(HEAD_LOG_LENGTH);
  lastNs = load<f64>(HEAD_LOG_LAST_NS);
  count = 0;
  farCount = 0;
  renameCount = 0;
}

export function endLog(): void {
  store<f64>(HEAD_LOG_LAST_NS, lastNs);
  store<u32>(HEAD_LOG_COUNT, count);
  store<u32>(HEAD_LOG_FAR_COUNT, farCount);
  store<u32>(HEAD_RENAMES_COUNT, renameCount);
}

/** Notes in a frame the row that opens its call. `row`: of the event that makes the call; NONE: the trace does not show it. */
export function logOpen(frame: usize, node: u32, ns: f64, row: i32): void {
  if ((rules & RULE_LOG) === 0) return;
  store<u32>(frame, length + count, FRAME_LOG_ROW);
  add(LOG_OPEN, node, ns, row);
}

/** `why`: 0 if the call returned, else 1 + its `Inference`. */
export function logClose(why: u32, ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_CLOSE, why, ns);
}

export function logStop(node: u32, ns: f64, row: i32): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_STOP, node, ns, row);
}

export function logEndStop(ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_END_STOP, 0, ns);
}

export function logKnownTime(ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_KNOWN_TIME, 0, ns);
}

export function logDoubt(doubt: u32, ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_DOUBT, doubt, ns);
}

/** Lists that the call of a frame has another node: its row may have been taken over by replay already. */
export function logRename(frame: usize, node: u32): void {
  if ((rules & RULE_LOG) === 0) return;
  list(renames, renameCount++, node, load<u32>(frame, FRAME_LOG_ROW));
}

function add(op: u32, argument: u32, ns: f64, row: i32 = NONE): void {
  const at = <usize>count;
  count++;
  listed++;
  store<u32>(codes + (at << 2), (argument << LOG_OP_BITS) | op);
  store<i32>(events + (at << 2), row);
  store<u16>(sinces + (at << 1), op === LOG_KNOWN_TIME ? far(ns) : since(ns));
}

function since(ns: f64): u32 {
  const passed = ns - lastNs;
  const isNear = passed >= 0 && passed < LOG_FAR && lastNs + passed === ns && floor(passed) === passed;
  lastNs = ns;
  return isNear ? <u32>passed : far(ns);
}

function far(ns: f64): u32 {
  store<f64>(fars + ((<usize>farCount) << 3), ns);
  farCount++;
  return LOG_FAR;
}
