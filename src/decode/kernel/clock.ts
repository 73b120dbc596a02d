/**
 * When: ticks of the TSC, from TSC, TMA, MTC, CYC and CBR packets (Intel SDM volume 3, "Intel Processor Trace", timing packets).
 */
import { BEFORE_CYC, state } from './state';

/** How the recording was set up. A tick of the core crystal clock (CTC) is `ctcNumerator / ctcDenominator` ticks of the TSC. */
let mtcPeriod: u32 = 0;
let ctcNumerator: u64 = 0;
let ctcDenominator: u64 = 1;
let isWholeRatio: bool = false;
let maxBusRatio: u64 = 1;

export function setTiming(period: u32, numerator: u32, denominator: u32, maxRatio: u32): void {
  mtcPeriod = period;
  ctcNumerator = numerator;
  ctcDenominator = denominator === 0 ? 1 : denominator;
  isWholeRatio = ctcNumerator % ctcDenominator === 0;
  maxBusRatio = maxRatio;
}

/** The time was set; within PSB+ instructions are still counted. */
function setInstructions(): void {
  if (state.isInPsb) state.setsTimeInPsb = true;
  else state.instructions = 0;
}

function ticksOf(ctc: u64): u64 {
  if (isWholeRatio) return ctc * (ctcNumerator / ctcDenominator);
  return (ctc / ctcDenominator) * ctcNumerator + ((ctc % ctcDenominator) * ctcNumerator) / ctcDenominator;
}

/** `low`: seven bytes; the eighth is that of the time before, or of the buffer's reference. */
export function takeTsc(low: u64, bufferReference: u64): void {
  state.hasTma = false;
  const first = state.firstReference;
  if (first !== 0) {
    let full = low | (first & 0xff00000000000000);
    if (full < first && first - full > 1 << 55) full += 1 << 56;
    else if (full > first && full - first > 1 << 55) full -= 1 << 56;
    state.time = full;
    state.tscTime = full;
    state.firstReference = 0;
  } else if (state.time !== 0) {
    let full = low | (state.time & 0xff00000000000000);
    state.tscTime = full;
    if (full < state.time && state.time - full >= 0x10000) {
      full += 1 << 56;
      if (bufferReference === 0 || full < bufferReference) state.time = full;
    } else if (full >= state.time) state.time = full;
  } else return;
  setInstructions();
  if (state.before === BEFORE_CYC) {
    state.cycleStart = state.time;
    state.cycles = 0;
    state.measuredRatio = 0;
  }
}

export function takeTma(ctc: u32, fast: u32): void {
  const remainder = ctc & ((1 << mtcPeriod) - 1);
  state.lastMtc = (ctc >> mtcPeriod) & 0xff;
  state.ctcTime = state.tscTime - fast - ticksOf(remainder);
  state.ctcDelta = 0;
  state.hasTma = true;
}

/** The time of an MTC packet; it counts on from the last one. */
let mtcDelta: u64 = 0;
function timeOfMtc(mtc: u32, last: u32, delta: u64): u64 {
  const steps = mtc > last ? mtc - last : mtc + 256 - last;
  mtcDelta = delta + ((<u64>steps) << mtcPeriod);
  return state.ctcTime + ticksOf(mtcDelta);
}

/** `pos`, `end`: the bytes after the packet, up to the end of the record. `isLast`: none follow that are not there. */
export function takeMtc(mtc: u32, pos: usize, end: usize, isLast: bool): bool {
  if (!state.hasTma) return true;
  const time = timeOfMtc(mtc, state.lastMtc, state.ctcDelta);
  const delta = mtcDelta;
  const now = time >= state.time ? time : state.time;
  let ratio = state.measuredRatio;
  if (state.before === BEFORE_CYC) {
    ratio = ratioAhead(mtc, delta, now, pos, end, isLast);
    if (ratio < 0) return false;
  }
  state.ctcDelta = delta;
  state.time = now;
  state.lastMtc = mtc;
  setInstructions();
  if (state.before === BEFORE_CYC) {
    state.cycleStart = now;
    state.cycles = 0;
    state.measuredRatio = ratio;
  }
  return true;
}

/** Ticks a cycle up to the next MTC that stands right behind a CYC; 0: not known; −1: what decides it is not there yet. */
function ratioAhead(mtc: u32, delta_: u64, now: u64, first: usize, end: usize, isLast: bool): f64 {
  let pos = first;
  let last = mtc;
  let delta = delta_;
  let cycles: u64 = 0;
  let cbr: u32 = 0;
  let busRatio = state.busRatio;
  let isBehindCyc = true;
  while (pos < end) {
    const byte = load<u8>(pos);
    if ((byte & 3) === 3) {
      let value: u64 = byte >> 3;
      let size = 1;
      if (byte & 4) {
        let bits: u64 = 5;
        for (;;) {
          if (pos + size >= end) return isLast ? 0 : -1;
          const more = load<u8>(pos + size++);
          if (bits < 64) value |= (<u64>(more >> 1)) << bits;
          bits += 7;
          if ((more & 1) === 0) break;
        }
      }
      cycles += value;
      pos += size;
      isBehindCyc = true;
      continue;
    }
    if (byte === 0) {
      pos++;
      continue;
    }
    if (byte === 0x59) {
      if (pos + 2 > end) return isLast ? 0 : -1;
      const next: u32 = load<u8>(pos + 1);
      const time = timeOfMtc(next, last, delta);
      if (isBehindCyc) return ratioOf(time, now, cycles, busRatio);
      last = next;
      delta = mtcDelta;
      pos += 2;
    } else if (byte === 2) {
      if (pos + 2 > end) return isLast ? 0 : -1;
      const second = load<u8>(pos + 1);
      if (second === 0x03) {
        if (pos + 4 > end) return isLast ? 0 : -1;
        const next: u32 = load<u8>(pos + 2);
        if (cbr !== 0 && cbr !== next) return 0;
        cbr = next;
        if (cbr !== 0) busRatio = <f64>maxBusRatio / <f64>cbr;
      } else if (
        second === 0x73 ||
        second === 0xf3 ||
        second === 0x83 ||
        second === 0xa2 ||
        second === 0x22 ||
        second === 0xc2
      )
        return 0;
      const size = sizeOfExtended(second);
      if (size === 0) return 0;
      pos += size;
    } else if (byte === 0x19) return 0;
    else if ((byte & 0x1f) === 0x01 && byte & 1) return 0;
    else if (byte === 0x99) {
      if (pos + 2 <= end && ((load<u8>(pos + 1) & 3) === 3 || load<u8>(pos + 1) >> 5 > 1)) return 0;
      pos += 2;
    } else if ((byte & 1) === 0) pos++;
    else {
      const bytes = isAddress(byte) ? ipBytes(byte >> 5) : -1;
      if (bytes < 0) return 0;
      pos += 1 + bytes;
    }
    isBehindCyc = false;
  }
  return isLast ? 0 : -1;
}

function ratioOf(time: u64, now: u64, cycles: u64, busRatio: f64): f64 {
  if (time < now || cycles === 0) return 0;
  const ratio = <f64>(time - now) / <f64>cycles;
  return busRatio !== 0 && ratio > 1.25 * busRatio ? 0 : ratio;
}

export function takeCyc(value: u64): void {
  state.cycles += value;
  const ratio = state.measuredRatio !== 0 ? state.measuredRatio : state.busRatio;
  if (state.cycleStart === 0 || ratio === 0) return;
  const time = <u64>(<f64>state.cycleStart + <f64>state.cycles * ratio);
  if (time >= state.time) state.time = time;
  setInstructions();
}

/** Returns whether it changed. */
export function takeCbr(cbr: u32): bool {
  if (cbr === state.cbr) return false;
  state.cbr = cbr;
  state.busRatio = cbr === 0 ? 0 : <f64>maxBusRatio / <f64>cbr;
  state.cycleStart = state.time;
  state.cycles = 0;
  return true;
}

/** What the time is now, by the instructions that were walked since it was set. */
export function estimatedTime(): u64 {
  if (state.cbr === 0) return state.sampleTime + 2 * state.instructions;
  return state.sampleTime + (2 * state.instructions * maxBusRatio) / state.cbr;
}

/** TIP, TIP.PGE, TIP.PGD or FUP. */
export function isAddress(byte: u8): bool {
  const what = byte & 0x1f;
  return what === 0x0d || what === 0x11 || what === 0x01 || what === 0x1d;
}

/** Bytes of an address, by the upper bits of its packet; −1: no such packet. */
export function ipBytes(compression: u8): i32 {
  switch (compression) {
    case 0:
      return 0;
    case 1:
      return 2;
    case 2:
      return 4;
    case 3:
    case 4:
      return 6;
    case 6:
      return 8;
    default:
      return -1;
  }
}

/** Bytes of a packet that begins with 02, by its second byte; 0: no such packet. */
export function sizeOfExtended(second: u8): i32 {
  switch (second) {
    case 0x82:
      return 16; // PSB
    case 0x23: // PSBEND
    case 0xf3: // OVF
    case 0x83: // TraceStop
    case 0x62: // EXSTOP
    case 0xe2:
    case 0x33: // BEP
    case 0xb3:
      return 2;
    case 0x63: // BBP
      return 3;
    case 0x03: // CBR
    case 0x22: // PWRE
    case 0x13: // CFE
      return 4;
    case 0x73: // TMA
    case 0xa2: // PWRX
    case 0xc8: // VMCS
      return 7;
    case 0xa3: // long TNT
    case 0x43: // PIP
      return 8;
    case 0xc2: // MWAIT
      return 10;
    case 0xc3: // MNT
    case 0x53: // EVD
      return 11;
    default:
      if ((second & 0x5f) === 0x12) return second & 0x20 ? 10 : 6; // PTWRITE
      return 0;
  }
}
