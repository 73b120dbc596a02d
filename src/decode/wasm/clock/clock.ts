/**
 * The time in ticks of the TSC, from TSC, TMA, CYC and CBR packets (Intel SDM volume 3, "Intel Processor Trace", timing
 * packets); MTC packets have a file of their own.
 */
import { BEFORE_CYC, state } from '../state';
import { maxBusRatio, mtcPeriod, ticksOf } from './settings';

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
  if (full < state.time && state.time - full >= 0x10000) {
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

/** `offset`: after the packet. */
export function takeCyc(value: u64, offset: u64): void {
  if (state.areCyclesUnsure) lastUnsure = offset;
  state.cycles += value;
  const ratio = state.measuredRatio !== 0 ? state.measuredRatio : state.busRatio;
  if (state.cycleStart === 0 || ratio === 0) return;
  const time = <u64>(<f64>state.cycleStart + <f64>state.cycles * ratio);
  if (time >= state.time) state.time = time;
  setInstructions();
}

/**
 * CYC packets between which nothing else sets the clock: what they have in common is kept in locals. The same as `takeCyc`,
 * where the start of counting is known, outside PSB+.
 */
export class Cycles {
  /** Ticks per cycle; 0: unknown. */
  @inline
  static ratio(): f64 {
    const ratio = state.measuredRatio !== 0 ? state.measuredRatio : state.busRatio;
    return state.cycleStart === 0 ? 0 : ratio;
  }

  @inline
  static take(value: u64, start: f64, ratio: f64): void {
    const cycles = state.cycles + value;
    state.cycles = cycles;
    if (ratio === 0) return;
    const time = <u64>(start + <f64>(<i64>cycles) * ratio);
    if (time >= state.time) state.time = time;
    state.instructions = 0;
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
