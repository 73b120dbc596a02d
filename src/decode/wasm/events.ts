/**
 * What the walk found, as the store takes it: runs of events (site, nanoseconds since the one before), sites, errors.
 */
import { Block, enterChanges, tickOfChange } from './blocks';
import { countChange, countEvent, watched } from './counts';
import {
  FAULT_BYTES,
  FAULT_CODE,
  FAULT_IP,
  FAULT_NS,
  FAULT_SLOT,
  KIND_CALL,
  RUN_BYTES,
  RUN_END_NS,
  RUN_EVENT_BYTES,
  RUN_EVENTS,
  RUN_SLOT,
  RUN_START_NS,
  SITE_BYTES,
  SITE_EDGE,
  SITE_FROM,
  SITE_IMAGE,
  SITE_KIND,
  SITE_TO,
  SLOT_AT_SWITCH,
  SLOT_BYTES,
  SLOT_IMAGE,
  SLOT_TICK,
} from './layout';
import { Column, zeroed } from './memory';
import { state } from './state';

const FAR: u32 = u32.MAX_VALUE;
/** The store takes runs up to some megabytes. */
const MAX_RUN_BYTES: u32 = 256 * 1024;
const MIN_SLOTS: u32 = 1 << 12;

export const events = changetype<Column>(memory.data(offsetof<Column>(), 8));
export const runs = changetype<Column>(memory.data(offsetof<Column>(), 8));
export const sites = changetype<Column>(memory.data(offsetof<Column>(), 8));
export const faults = changetype<Column>(memory.data(offsetof<Column>(), 8));
/** Who runs from which tick on; the first one from the beginning. */
export const schedule = changetype<Column>(memory.data(offsetof<Column>(), 8));

/** Ticks → nanoseconds: zero + ticks × mult >> shift. */
let shift: u64 = 0;
let mult: u64 = 1;
let zero: u64 = 0;
let originNs: i64 = 0;

/** When the next slot begins, or the kernel's code changes, whichever is first. */
let nextTick: u64 = u64.MAX_VALUE;
/** When the next slot begins; from which tick on it may begin at a switch of stacks; and the image of the one that runs. */
let nextSlotTick: u64 = u64.MAX_VALUE;
let switchTick: u64 = u64.MAX_VALUE;
export let image: u32 = 0;
/** When the slot that runs began. */
export let slotTick: u64 = 0;

/** The run's row; 0: the next event begins one. */
let run: usize = 0;
let runStart: usize = 0;
/** Nanoseconds from the origin: the earliest and the latest event of the run. */
let firstNs: i64 = 0;
let latestNs: i64 = 0;
/** Where the next event goes, and up to where one of the same tick may; 0 without a run. */
let next: usize = 0;
let limit: usize = 0;
let lastTick: u64 = 0;
let lastNs: i64 = 0;

let siteSlots: usize = zeroed(4 * MIN_SLOTS);
let siteMask: u32 = MIN_SLOTS - 1;

export function setClock(shift_: u32, mult_: u64, zero_: u64, origin: i64): void {
  shift = shift_;
  mult = mult_;
  zero = zero_;
  originNs = origin;
  const isUsual = shift <= 32 && mult !== 0 && mult <= u32.MAX_VALUE;
  maxRepeatedTicks = isUsual
    ? min<u64>(i32.MAX_VALUE, max<u64>((((<u64>i32.MAX_VALUE) << shift) - 1) / mult, 1) - 1)
    : 0;
}

export function nsOf(tick: u64): i64 {
  const low = tick & ((1 << shift) - 1);
  return <i64>(zero + (tick >> shift) * mult + ((low * mult) >> shift));
}

/** Begins with the first slot of the schedule. */
export function startSchedule(): void {
  state.slot = 0;
  state.changes = 0;
  state.isSwitching = false;
  resumeSchedule();
  passTo(0);
}

/** Continues with the slot of the state. */
export function resumeSchedule(): void {
  enterSlot();
  enterChanges(state.changes);
}

function enterSlot(): void {
  const slot = schedule.start + <usize>state.slot * SLOT_BYTES;
  const isAtSwitch = slot + SLOT_BYTES < endOfSlots() && load<u32>(slot + SLOT_BYTES, SLOT_AT_SWITCH) !== 0;
  switchTick = isAtSwitch ? tickOf(slot + SLOT_BYTES) : u64.MAX_VALUE;
  nextSlotTick = tickOf(slot + (isAtSwitch ? 2 : 1) * SLOT_BYTES);
  image = load<u32>(slot, SLOT_IMAGE);
  slotTick = load<u64>(slot, SLOT_TICK);
  endRun();
  expect();
  countFrom(slotTick);
}

/** From a tick on, another thread runs, or at another frequency. */
export function countFrom(tick: u64): void {
  countChange(<f64>(nsOf(tick) - originNs), eventBytes());
}

/** What happens next by time alone. */
function expect(): void {
  if (state.isSwitching) nextSlotTick = switchTick;
  nextTick = min(nextSlotTick, tickOfChange(state.changes));
}

function endOfSlots(): usize {
  return schedule.start + schedule.used;
}

function tickOf(slot: usize): u64 {
  return slot < endOfSlots() ? load<u64>(slot, SLOT_TICK) : u64.MAX_VALUE;
}

/** Where the kernel switches stacks; 0: nowhere. */
let switchIp: u64 = 0;

export function setSwitch(ip: u64): void {
  switchIp = ip;
}

/** Whether a direct branch goes where the kernel switches stacks: `passSwitch` must follow. */
export function isSwitch(block: Block): bool {
  return block.target === switchIp;
}

/** The kernel switches stacks: the next thread runs from here on, or from its record on, if that is later. */
export function passSwitch(tick: u64): void {
  if (tick >= switchTick) enterNextSlot();
  else if (switchTick !== u64.MAX_VALUE) {
    state.isSwitching = true;
    expect();
  }
}

function enterNextSlot(): void {
  state.slot++;
  state.isSwitching = false;
  enterSlot();
}

export function currentSlot(): u32 {
  return state.slot;
}

export function currentChanges(): u32 {
  return state.changes;
}

export function passTo(tick: u64): void {
  if (tick < nextTick || nextTick === u64.MAX_VALUE) return;
  while (tick >= nextSlotTick && nextSlotTick !== u64.MAX_VALUE) enterNextSlot();
  while (tick >= tickOfChange(state.changes)) state.changes++;
  enterChanges(state.changes);
  expect();
}

/** Whether another slot begins up to a tick, or the kernel's code changes. */
export function isSlotOver(tick: u64): bool {
  return tick >= nextTick;
}

/** The tick of the first event; 0: there is none. */
export let firstTick: u64 = 0;

/** What was found is taken away: begins anew. */
export function forgetEvents(): void {
  endRun();
  firstTick = 0;
  events.used = 0;
  runs.used = 0;
  faults.used = 0;
}

function beginRun(): void {
  run = runs.extend(RUN_BYTES);
  store<u32>(run, state.slot, RUN_SLOT);
  store<u32>(run, 0, RUN_EVENTS);
  firstNs = i64.MAX_VALUE;
  latestNs = i64.MIN_VALUE;
  runStart = events.start + events.used;
  next = runStart;
}

function eventBytes(): u32 {
  return <u32>(run === 0 ? events.used : next - events.start);
}

/** Writes down the run, as far as it goes. */
export function endRun(): void {
  if (run === 0) return;
  passLatest();
  const bytes = <u32>(next - runStart);
  store<u32>(run, bytes, RUN_EVENT_BYTES);
  store<f64>(run, <f64>firstNs, RUN_START_NS);
  store<f64>(run, <f64>latestNs, RUN_END_NS);
  store<u32>(run, bytes / 8 - load<u32>(run, RUN_EVENTS), RUN_EVENTS);
  events.used = next - events.start;
  run = 0;
  limit = 0;
  repeatLimit = 0;
}

/** What runs once for each event is inlined: the compiler does so with methods only. */
export class Events {
  /** An event at a tick. */
  @inline
  static emit(site: u32, tick: u64): void {
    state.lastEventTime = tick;
    if (tick === lastTick && next < limit) {
      store<u64>(next, site);
      next += 8;
    } else emitLater(site, tick);
  }

  // Events of packets that are repeated (packets/frequent.ts): nothing is to be done but to write them.

  /** How many packets may follow that have so many events at most. */
  static roomFor(count: u32): usize {
    return next < repeatLimit ? (repeatLimit - next) / (8 * count) : 0;
  }

  /** Whether all that is from one tick to another may follow the last event. */
  static areNear(first: u64, last: u64): bool {
    return first >= lastTick && last - lastTick <= maxRepeatedTicks;
  }

  /** The sites of the next events; those after the first eight are at `far`. `passTo` must follow. */
  @inline
  static writeSites(count: u32, sites: usize, far: usize): void {
    Events.writeFour(next, sites);
    if (count > 4) writeMoreSites(count, sites, far);
  }

  @inline
  static writeFour(to: usize, sites: usize): void {
    const four = v128.load(sites);
    const zero = i32x4.splat(0);
    v128.store(to, v128.shuffle<i32>(four, zero, 0, 4, 1, 5));
    v128.store(to, v128.shuffle<i32>(four, zero, 2, 6, 3, 7), 16);
  }

  /** The next events, whose sites are there, are at a tick. */
  @inline
  static passTo(tick: u64, count: u32): void {
    const ns = remainder + (tick - lastTick) * mult;
    const step = ns >> shift;
    remainder = ns & ((1 << shift) - 1);
    lastTick = tick;
    lastNs += step;
    store<u32>(next, <u32>step, 4);
    next += 8 * <usize>count;
  }

  /** The site of a direct branch. */
  @inline
  static siteOfBlock(block: Block): u32 {
    return block.site !== 0 ? block.site - 1 : newSiteOfBlock(block);
  }

  /** The site of a return to `to`, which is after a call: a direct call remembers it. */
  @inline
  static siteOfReturn(block: Block, call: Block, to: Block): u32 {
    return call.kind === KIND_CALL && call.lastBlock === block ? call.lastSite : newSiteOfReturn(block, call, to);
  }
}

/** Up to here, sums of doubles are exact, whatever else the run has. */
const MAX_EXACT_NS: u64 = 1 << 51;
/** Of events that are repeated: as `limit`, or 0 if there must be none; and the most ticks after the last event. */
let repeatLimit: usize = 0;
let maxRepeatedTicks: u64 = 0;
/** Of the last tick in nanoseconds, what is left after the point. */
let remainder: u64 = 0;

function writeMoreSites(count: u32, sites: usize, far: usize): void {
  Events.writeFour(next + 32, sites + 16);
  if (count <= 8) return;
  Events.writeFour(next + 64, far);
  Events.writeFour(next + 96, far + 16);
}

export function emit(site: u32, tick: u64): void {
  Events.emit(site, tick);
}

function emitLater(site: u32, tick: u64): void {
  if (tick >= nextTick) passTo(tick);
  if (state.time === 0) return; // as perf does: without a time there are no events
  const isFirst = next >= limit && extendRun();
  if (firstTick === 0) firstTick = tick;
  const ns = nsOf(tick);
  const time = ns - originNs;
  if (!isFirst) passLatest();
  if (time < firstNs) firstNs = time;
  if (time > latestNs) latestNs = time;
  const step = ns - lastNs;
  // what readers add up must be the time: doubles of more than 2^53 ns are not exact
  if (!isFirst && step === <i64>(<i32>step) && <f64>(lastNs - originNs) + <f64>step === <f64>time) {
    store<u32>(next, site);
    store<i32>(next, <i32>step, 4);
    next += 8;
  } else {
    store<u32>(next, FAR);
    store<u32>(next, site, 4);
    store<f64>(next, <f64>time, 8);
    store<u32>(run, load<u32>(run, RUN_EVENTS) + 1, RUN_EVENTS); // far ones, until the run ends
    next += 16;
  }
  lastNs = ns;
  lastTick = tick;
  remainder = (tick * mult) & ((1 << shift) - 1);
  repeatLimit = <u64>time < MAX_EXACT_NS && maxRepeatedTicks !== 0 ? limit : 0;
  if (watched.used !== 0 && countEvent(site, <f64>time, eventBytes())) limit = 0; // one of the same tick comes here, too
}

/** The last event may be later than those before. */
function passLatest(): void {
  latestNs = max(latestNs, lastNs - originNs);
}

/** For that many bytes, and the run that exceeds them. */
export function reserveEvents(bytes: usize): void {
  events.reserve(bytes + MAX_RUN_BYTES + 16);
}

/** There is no run, or it is full: makes space for an event. Returns whether it is the first of a run. */
function extendRun(): bool {
  if (run !== 0) endRun();
  reserveEvents(0);
  beginRun();
  limit = runStart + MAX_RUN_BYTES;
  return true;
}

/** An error: perf's number, and where the walk was. Its thread is that of the event before, as perf has it. */
export function fault(code: u32, ip: u64, tick: u64): void {
  if (state.time === 0 || state.lastEventTime === 0) return; // as perf does: no error before the first PSB+ or event
  state.lastEventTime = tick;
  const row = faults.extend(FAULT_BYTES);
  store<f64>(row, <f64>(nsOf(tick) - originNs), FAULT_NS);
  store<u64>(row, ip, FAULT_IP);
  store<u32>(row, code, FAULT_CODE);
  store<u32>(row, state.slot, FAULT_SLOT);
}

function hashOf(from: u64, to: u64, image_: u32, what: i32): u32 {
  const mixed = (from * 0x9e3779b97f4a7c15 + to) * 0xc2b2ae3d27d4eb4f + ((<u64>image_) << 32) + what;
  return <u32>(mixed >> 32) ^ <u32>mixed;
}

/** The number of a site; a new one if it was not seen before. */
export function siteOf(from: u64, to: u64, image_: u32, kind: i32, edge: i32): u32 {
  const what = <u32>((kind << 8) | edge);
  let at = hashOf(from, to, image_, what) & siteMask;
  for (;;) {
    const number = load<u32>(siteSlots + 4 * at);
    if (number === 0) break;
    const row = sites.start + <usize>SITE_BYTES * <usize>(number - 1);
    if (
      load<u64>(row, SITE_FROM) === from &&
      load<u64>(row, SITE_TO) === to &&
      load<u32>(row, SITE_IMAGE) === image_ &&
      load<u8>(row, SITE_KIND) === kind &&
      load<u8>(row, SITE_EDGE) === edge
    )
      return number - 1;
    at = (at + 1) & siteMask;
  }
  const number = <u32>(sites.used / SITE_BYTES);
  const row = sites.extend(SITE_BYTES);
  store<u64>(row, from, SITE_FROM);
  store<u64>(row, to, SITE_TO);
  store<u32>(row, image_, SITE_IMAGE);
  store<u8>(row, <u8>kind, SITE_KIND);
  store<u8>(row, <u8>edge, SITE_EDGE);
  store<u32>(siteSlots + 4 * at, number + 1);
  if (number * 2 > siteMask) growSites();
  return number;
}

function growSites(): void {
  siteMask = 2 * siteMask + 1;
  siteSlots = zeroed(4 * (<usize>siteMask + 1));
  for (let number: u32 = 0; number < <u32>(sites.used / SITE_BYTES); number++) {
    const row = sites.start + <usize>SITE_BYTES * <usize>number;
    const what = ((<u32>load<u8>(row, SITE_KIND)) << 8) | load<u8>(row, SITE_EDGE);
    let at = hashOf(load<u64>(row, SITE_FROM), load<u64>(row, SITE_TO), load<u32>(row, SITE_IMAGE), what) & siteMask;
    while (load<u32>(siteSlots + 4 * at) !== 0) at = (at + 1) & siteMask;
    store<u32>(siteSlots + 4 * at, number + 1);
  }
}

export function siteOfBlock(block: Block): u32 {
  return Events.siteOfBlock(block);
}

function newSiteOfBlock(block: Block): u32 {
  block.site = siteOf(block.from, block.target, block.image, block.kind, 0) + 1;
  return block.site - 1;
}

/** Of an indirect branch. */
export function siteTo(block: Block, to: Block): u32 {
  if (block.lastBlock !== to) {
    block.lastBlock = to;
    block.lastSite = siteOf(block.from, to.start, block.image, block.kind, 0);
  }
  return block.lastSite;
}

function newSiteOfReturn(block: Block, call: Block, to: Block): u32 {
  if (call.kind !== KIND_CALL) return siteTo(block, to);
  if (block.isChanging) return siteOf(block.from, to.start, block.image, block.kind, 0); // may be elsewhere later
  call.lastBlock = block;
  call.lastSite = siteOf(block.from, to.start, block.image, block.kind, 0);
  return call.lastSite;
}
