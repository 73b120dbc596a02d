/**
 * The time in ticks of the TSC, from TSC, TMA, CYC and CBR packets (Intel SDM volume 3, "Intel Processor Trace", timing
 * packets), and from MTC packets.
 */

import { Counted } from './counts';
import { Ahead } from './packets/ahead';
import {
  BAD,
  CBR,
  CUT,
  cycBytes,
  isCyc,
  MTC,
  MWAIT,
  NO_TSC,
  OVF,
  PWRE,
  PWRX,
  readCyc,
  sizeOf,
  TIP_PGD,
  TMA,
  TRACE_STOP,
  TSC,
} from './packets/format';
import { BEFORE_CYC, state } from './state';

/** The time was set; within PSB+ instructions are still counted. */
export function setInstructions(): void {
  if (state.isInPsb) state.setsTimeInPsb = true;
  else state.instructions = 0;
}

/** Cycles are counted from the current time on. */
export function restartCycles(ratio: f64): void {
  state.cycleStart = state.time;
  state.cycles = 0;
  state.measuredRatio = ratio;
  state.areCyclesUnsure = false;
}

/** No trace of the recording is earlier or later. */
let firstTick: u64 = 0;
let lastTick: u64 = u64.MAX_VALUE;

export function setBounds(first: u64, last: u64): void {
  firstTick = first;
  lastTick = last;
}

/** Seven bytes of a time, as a TSC packet has them. */
const TSC_BITS: u64 = 0x00ffffffffffffff;
/** By so many ticks TSCs differ without a reason. */
const NOISE: u64 = 0x10000;

/** Whether a time that a packet sets may be damaged: what follows is to tell. perf believes any, and what follows stands there. */
export function isOdd(time: u64): bool {
  return time > state.time + NOISE;
}

/** Whether it is: what comes next is earlier, though no earlier than the time now. `next`: as `nextTsc` returns it. */
export function isLate(time: u64, next: u64): bool {
  const latest = latestBefore(next);
  return (time & TSC_BITS) > latest + NOISE && (state.time & TSC_BITS) <= latest;
}

/** The TSC of the next PSB+; if none follows, the end of the recording. */
function latestBefore(next: u64): u64 {
  return next !== NO_TSC ? next : lastTick & TSC_BITS;
}

/** The time of a TSC packet, with the eighth byte of the time now. */
export function timeOfTsc(low: u64): u64 {
  return low | (state.time & ~TSC_BITS);
}

/** Nothing but the recording tells whether its first TSC is too early. */
export function isEarly(low: u64): bool {
  return state.firstReference !== 0 && low < (firstTick & TSC_BITS);
}

/** What a damaged TSC stands for: the time now, or the next one. */
export function insteadOfTsc(next: u64): u64 {
  return state.time !== 0 ? state.time & TSC_BITS : latestBefore(next);
}

/** `low`: seven bytes; the eighth is that of the time before, or of the buffer's reference. */
export function takeTsc(low: u64, bufferReference: u64): void {
  state.hasTma = false;
  if (state.firstReference !== 0) takeFirstTsc(low);
  else if (state.time !== 0) takeNextTsc(low, bufferReference);
  else return;
  setInstructions();
  if (state.before === BEFORE_CYC) restartCycles(0);
}

/** The eighth byte is the one that brings it nearest to the reference. */
function takeFirstTsc(low: u64): void {
  const first = state.firstReference;
  let full = low | (first & 0xff00000000000000);
  if (full < first && first - full > 1 << 55) full += 1 << 56;
  else if (full > first && full - first > 1 << 55) full -= 1 << 56;
  state.time = full;
  state.tscTime = full;
  state.firstReference = 0;
}

/** A little back is noise; further back, the eighth byte has changed, if the buffer was written that late. */
function takeNextTsc(low: u64, bufferReference: u64): void {
  let full = low | (state.time & 0xff00000000000000);
  state.tscTime = full;
  if (full < state.time && state.time - full >= NOISE) {
    full += 1 << 56;
    if (bufferReference === 0 || full < bufferReference) state.time = full;
  } else if (full >= state.time) state.time = full;
}

export function takeTma(ctc: u32, fast: u32): void {
  const remainder = ctc & ((1 << mtcPeriod) - 1);
  state.lastMtc = (ctc >> mtcPeriod) & 0xff;
  state.ctcTime = state.tscTime - fast - ticksOf(remainder);
  state.ctcDelta = 0;
  state.hasTma = true;
  state.lacksMtcBits = mtcPeriod > 8;
}

/** Offset after the last CYC that was counted on from an unknown start; 0: there was none. */
export let lastUnsure: u64 = 0;

export function forgetUnsure(): void {
  lastUnsure = 0;
}

/** The time after a CYC; 0: unknown. */
export function timeOfCyc(value: u64): u64 {
  const ratio = Cycles.ratio();
  return ratio === 0 ? 0 : <u64>(<f64>state.cycleStart + <f64>(state.cycles + value) * ratio);
}

/** `offset`: after the packet. */
export function takeCyc(value: u64, offset: u64): void {
  if (state.areCyclesUnsure) lastUnsure = offset;
  const time = timeOfCyc(value);
  state.cycles += value;
  if (state.isTracing) Counted.cycles += value;
  if (time === 0) return;
  if (time >= state.time) state.time = time;
  setInstructions();
}

export class Cycles {
  /** Ticks per cycle; 0: unknown. */
  @inline
  static ratio(): f64 {
    const ratio = state.measuredRatio !== 0 ? state.measuredRatio : state.busRatio;
    return state.cycleStart === 0 ? 0 : ratio;
  }
}

/** Of cycles, as long as which they are converted as signed numbers, which is faster. */
export const MAX_CYCLES: u64 = 1 << 62;

/** Returns whether it changed. */
export function takeCbr(cbr: u32): bool {
  if (cbr === state.cbr) return false;
  if (state.cbr !== 0) state.areCyclesUnsure = false;
  state.cbr = cbr;
  state.busRatio = cbr === 0 ? 0 : <f64>maxBusRatio / <f64>cbr;
  state.cycleStart = state.time;
  state.cycles = 0;
  return true;
}

/** The time by the instructions that were walked since it was set. */
export function estimatedTime(): u64 {
  return estimatedTimeAt(state.cbr);
}

/** The same, for another ratio of the core's clock. */
export function estimatedTimeAt(cbr: u32): u64 {
  if (cbr === 0) return state.sampleTime + 2 * state.instructions;
  return state.sampleTime + (2 * state.instructions * maxBusRatio) / cbr;
}

/** What is walked next happens at the time now. */
export function sampleTime(): void {
  state.sampleTime = state.time;
  Counted.sampled = Counted.cycles;
}

/** The time of the next event or taken branch: never before the last one. */
export function nextEventTime(): u64 {
  return state.sampleTime > state.lastEventTime ? state.sampleTime : state.lastEventTime;
}

/** The same, of one that is there. */
export function eventTime(): u64 {
  const time = nextEventTime();
  state.lastEventTime = time;
  return time;
}

/**
 * How the clocks of the recorded CPU relate. A tick of the core crystal clock (CTC) is `ctcNumerator / ctcDenominator` ticks
 * of the TSC.
 */
export let mtcPeriod: u32 = 0;
let ctcNumerator: u64 = 0;
let ctcDenominator: u64 = 1;
let isWholeRatio: bool = false;
/** TSC ticks per tick of the bus clock. */
export let maxBusRatio: u64 = 1;

export function setTiming(period: u32, numerator: u32, denominator: u32, maxRatio: u32): void {
  mtcPeriod = period;
  ctcNumerator = numerator;
  ctcDenominator = denominator === 0 ? 1 : denominator;
  isWholeRatio = ctcNumerator % ctcDenominator === 0;
  maxBusRatio = maxRatio;
}

/** As perf rounds. */
export function ticksOf(ctc: u64): u64 {
  if (isWholeRatio) return ctc * (ctcNumerator / ctcDenominator);
  return (ctc / ctcDenominator) * ctcNumerator + ((ctc % ctcDenominator) * ctcNumerator) / ctcDenominator;
}

/** The time of an MTC packet, counted on from the last one; and how far it is from the TMA. */
let mtcDelta: u64 = 0;
function timeOfMtc(mtc: u32, last: u32, delta: u64): u64 {
  const steps = mtc > last ? mtc - last : mtc + 256 - last;
  mtcDelta = delta + ((<u64>steps) << mtcPeriod);
  return state.ctcTime + ticksOf(mtcDelta);
}

/** The MTC before an MTC, of which a TMA has the lower bits: the nearest one. */
function completed(mtc: u32, low: u32): u32 {
  const known = 16 - mtcPeriod;
  const near = (mtc & ~((1 << known) - 1)) | low;
  return (near >= mtc ? near - (1 << known) : near) & 0xff;
}

/** The time of the next MTC; 0: unknown. After a damaged one, the next one seems to be 256 later. */
export function timeOfNextMtc(mtc: u32): u64 {
  if (!state.hasTma || state.lacksMtcBits) return 0;
  return timeOfMtc(mtc, state.lastMtc, state.ctcDelta);
}

// MTC packets: times from the core crystal clock, and from pairs of them, the length of a cycle.

/**
 * `pos`, `end`: the bytes after the packet, in its record. `isAll`: no more bytes of it follow. Returns whether that sufficed.
 */
export function takeMtc(mtc: u32, pos: usize, end: usize, isAll: bool): bool {
  if (!state.hasTma) return true;
  const last = state.lacksMtcBits ? completed(mtc, state.lastMtc) : state.lastMtc;
  const time = timeOfMtc(mtc, last, state.ctcDelta);
  const delta = mtcDelta;
  const now = time >= state.time ? time : state.time;
  const isBehindCyc = state.before === BEFORE_CYC;
  const ratio = isBehindCyc ? ratioAhead(mtc, delta, now, pos, end, isAll) : 0;
  if (ratio < 0) return false;
  state.ctcDelta = delta;
  state.time = now;
  state.lastMtc = mtc;
  state.lacksMtcBits = false;
  setInstructions();
  if (isBehindCyc) restartCycles(ratio);
  return true;
}

/** Ticks per cycle up to the next MTC that directly follows a CYC; 0: unknown; −1: more bytes are needed. */
function ratioAhead(mtc: u32, delta_: u64, now: u64, first: usize, end: usize, isAll: bool): f64 {
  const usual = ratioBefore(mtc, delta_, now, first, end);
  if (usual >= 0) return usual;
  let pos = first;
  let last = mtc;
  let delta = delta_;
  let cycles: u64 = 0;
  let cbr: u32 = 0;
  let busRatio = state.busRatio;
  let isBehindCyc = true;
  while (pos < end) {
    const byte = load<u8>(pos);
    if (isCyc(byte)) {
      cycles += readCyc(pos, end);
      if (cycBytes === 0) break;
      pos += cycBytes;
      isBehindCyc = true;
      continue;
    }
    if (byte === 0) {
      pos++;
      continue;
    }
    const size = sizeOf(pos, end);
    if (size === CUT || pos + size > end) break;
    if (size === BAD || endsRatio(pos)) return 0;
    if (byte === MTC) {
      const next: u32 = load<u8>(pos + 1);
      const time = timeOfMtc(next, last, delta);
      if (time < now) return 0;
      if (isBehindCyc) return ratioOf(time - now, cycles, busRatio);
      last = next;
      delta = mtcDelta;
    } else if (byte === 2 && load<u8>(pos + 1) === CBR) {
      const next: u32 = load<u8>(pos + 2);
      if (cbr !== 0 && cbr !== next) return 0;
      cbr = next;
      if (cbr !== 0) busRatio = <f64>maxBusRatio / <f64>cbr;
    }
    pos += size;
    isBehindCyc = false;
  }
  return isAll ? 0 : -1;
}

/** If the next MTC comes after usual packets alone, the last one of which is a CYC; −1 if not. */
function ratioBefore(mtc: u32, delta: u64, now: u64, first: usize, end: usize): f64 {
  Ahead.read(first, end);
  const at = Ahead.end;
  if (at + 2 > end || load<u8>(at) !== MTC || (Ahead.isBehindCyc === 0 && at !== first)) return -1;
  const time = timeOfMtc(load<u8>(at + 1), mtc, delta);
  return time < now ? 0 : ratioOf(time - now, Ahead.cycles, state.busRatio);
}

/** Packets at which the clock may begin anew or stand still. */
function endsRatio(pos: usize): bool {
  const byte = load<u8>(pos);
  if (byte !== 2) return byte === TSC || (byte & 0x1f) === TIP_PGD;
  switch (load<u8>(pos + 1)) {
    case TMA:
    case OVF:
    case TRACE_STOP:
    case PWRE:
    case PWRX:
    case MWAIT:
      return true;
    default:
      return false;
  }
}

function ratioOf(ticks: u64, cycles: u64, busRatio: f64): f64 {
  if (cycles === 0) return 0;
  if (ticks === 0) return f64.MIN_VALUE; // as perf does: the time stands still
  const ratio = <f64>ticks / <f64>cycles;
  return busRatio !== 0 && ratio > 1.25 * busRatio ? 0 : ratio;
}
