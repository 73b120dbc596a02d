/**
 * Takes the packets that most of a trace is made of (ahead.ts), in the state that decoding is mostly in. What happens is what
 * decode.ts says; here, less has to be asked before it does.
 */
import { Block } from '../blocks';
import { Cycles, MAX_CYCLES } from '../clock';
import { Events, isSlotOver } from '../events';
import { hasStopped, isMarking } from '../parts';
import { BEFORE_CYC, BEFORE_OTHER, PHASE_WALK, state } from '../state';
import { walkBits } from '../walk/bits';
import { Keys } from '../walk/keys';
import { goOnTo, here, settle } from '../walk/position';
import { MAX_ITEMS, Rows, TIME_BEFORE, TIME_OF_PACKET } from '../walk/rows';
import { walkTo } from '../walk/targets';
import { Ahead, FEW_STEPS, Step } from './ahead';
import { end, pos, skip } from './format';
import { lose } from './psb';

let isPlain: bool = false;

/** For tests: nothing is taken here. */
export function walkPlainly(plain: bool): void {
  isPlain = plain;
}

/** Up to any other packet. */
export function takeFrequent(): void {
  if (isPlain || state.isInPsb || state.areCyclesUnsure || isMarking()) return;
  while (state.phase === PHASE_WALK && !hasStopped()) {
    if (!state.hasLastIp || state.time === 0 || state.sampleTime > state.time) break;
    if (!Ahead.reaches(pos)) Ahead.read(pos, end, FEW_STEPS);
    if (Ahead.end === pos || !Times.begin()) break;
    takeKnown(here());
    if (Ahead.next !== Ahead.stepsEnd) takeAlone(Ahead.next);
    else if (takeLastCycles()) break;
  }
  settle();
}

const STEP_BYTES: usize = offsetof<Step>();
const MAX_TICKS: f64 = <f64>(1 << 51);
const MAX_START: f64 = <f64>(1 << 62);
/** The lower bits of a double from here on are those of an integer. */
const INTEGERS: f64 = <f64>(1 << 52);

/** The times of steps. Each is found only if it is asked for. */
class Times {
  /** What time is after so many cycles. */
  static start: f64 = 0;
  static startTick: u64 = 0;
  static ratio: f64 = 0;
  static cycles: u64 = 0;
  /** The clock now, and the earliest time of an event. */
  static now: u64 = 0;
  static earliest: u64 = 0;

  /** Returns false where times are not as simple as that. */
  static begin(): bool {
    const start = <f64>state.cycleStart;
    const ratio = Cycles.ratio();
    if (state.cycles > MAX_CYCLES || start > MAX_START || (ratio === 0 && Ahead.hasCycles !== 0)) return false;
    Times.start = start;
    Times.startTick = <u64>start;
    Times.ratio = ratio;
    Times.cycles = state.cycles - Ahead.taken - 1;
    Times.now = state.time;
    Times.earliest = max(state.time, state.lastEventTime);
    return <f64>(<i64>(state.cycles + Ahead.cycles)) * ratio < MAX_TICKS;
  }

  /** The time after cycles as a step has them, but not before one. */
  @inline
  static at(cycles: u32, earliest: u64): u64 {
    const ticks = Times.start + <f64>(<i64>(Times.cycles + cycles)) * Times.ratio - Times.start;
    const tick = Times.startTick + (reinterpret<u64>(floor<f64>(ticks) + INTEGERS) - reinterpret<u64>(INTEGERS));
    return cycles !== 0 && tick > earliest ? tick : earliest;
  }
}

/** The first step that is not to be repeated, whatever it does, or the end: another thread runs then, or a run of events ends. */
function findLimit(from: usize, before: u64): usize {
  const end = min(Ahead.stepsEnd, from + STEP_BYTES * Events.roomFor(MAX_ITEMS));
  if (end === from) return from;
  const last = Times.at(changetype<Step>(end - STEP_BYTES).cycles, Times.earliest);
  if (!Events.areNear(before, last)) return from;
  let limit = end;
  if (isSlotOver(last))
    for (limit = from; !isSlotOver(Times.at(changetype<Step>(limit).cycles, Times.earliest)); ) limit += STEP_BYTES;
  return limit;
}

/** Takes steps whose rows are known. */
function takeKnown(first: Block): void {
  const from = Ahead.next;
  const sampled = max(state.sampleTime, state.lastEventTime);
  const limit = findLimit(from, sampled);
  let lastEventAt: usize = 0;
  let instructions = state.instructions;
  let block = first;
  let at = from;
  for (; at < limit; at += STEP_BYTES) {
    const step = changetype<Step>(at);
    const row = Rows.find(block, step.key);
    if (changetype<usize>(row) === 0) break;
    if (row.calls !== 0) {
      if (!Rows.passCalls(row)) break;
    }
    const events: u32 = row.events;
    if (events !== 0) {
      const early: u32 = row.early;
      Events.writeSites(events, row.items, row.farItems);
      if (early !== 0) {
        const before = changetype<Step>(at - STEP_BYTES);
        Events.passTo(at === from ? sampled : Times.at(before.cycles, Times.earliest), early);
      }
      if (early !== events) Events.passTo(Times.at(step.cycles, Times.earliest), events - early);
    }
    if (row.time === TIME_OF_PACKET) lastEventAt = at;
    else if (row.time === TIME_BEFORE) lastEventAt = at - STEP_BYTES;
    instructions = (instructions & step.kept) + row.instructions;
    block = changetype<Block>(row.end);
  }
  if (at === from) return;
  goOnTo(block);
  if (lastEventAt >= from) state.lastEventTime = Times.at(changetype<Step>(lastEventAt).cycles, Times.earliest);
  else if (lastEventAt !== 0) state.lastEventTime = sampled;
  const last = changetype<Step>(at - STEP_BYTES);
  passCycles(last);
  passTo(last.end, last.ip);
  state.instructions = instructions;
  state.sampleTime = state.time;
}

/** Takes the CYC packets before a step; that step is taken then. */
function passCycles(step: Step): void {
  state.time = Times.at(step.cycles, Times.now);
  state.cycles = Times.cycles + max(step.cycles, 1);
  state.instructions &= step.kept;
  state.before = BEFORE_OTHER;
  Ahead.take(step);
}

function passTo(at: usize, ip: u64): void {
  skip(at - pos);
  state.lastIp = ip;
}

/** A step by itself: its row is unknown, or does not suffice. */
function takeAlone(at: usize): void {
  const step = changetype<Step>(at);
  const bits: u64 = Keys.bitsOf(step.key);
  passCycles(step);
  if (bits !== 0) {
    const hasTip = Keys.hasTip(step.key);
    passTo(hasTip ? step.start : step.end, state.lastIp);
    const error = walkBits(bits, 63 - <i32>clz<u64>(bits));
    if (error !== 0) lose(error);
    if (!hasTip || state.phase !== PHASE_WALK || hasStopped()) return;
  }
  passTo(step.end, step.ip);
  const error = walkTo(true, step.ip);
  if (error !== 0) lose(error);
}

/** Takes CYC packets that are read, but no step after them. Returns whether any other packet follows. */
function takeLastCycles(): bool {
  if (Ahead.isBehindCyc !== 0) {
    state.time = Times.at(Ahead.cycles + 1, Times.now);
    state.cycles = Times.cycles + Ahead.cycles + 1;
    state.instructions = 0;
    state.before = BEFORE_CYC;
  }
  skip(Ahead.end - pos);
  Ahead.forget();
  return !Ahead.hasMore;
}
