/**
 * MTC packets: times from the core crystal clock, and from pairs of them, the length of a cycle.
 */
import {
  BAD,
  CBR,
  CUT,
  cycBytes,
  ipBytes,
  isCyc,
  isLongCyc,
  isTnt,
  MTC,
  MWAIT,
  OVF,
  PWRE,
  PWRX,
  readCyc,
  shortCyc,
  shortCycBytes,
  sizeOf,
  TIP,
  TIP_PGD,
  TMA,
  TRACE_STOP,
  TSC,
} from '../packets/format';
import { BEFORE_CYC, state } from '../state';
import { restartCycles, setInstructions } from './clock';
import { maxBusRatio, mtcPeriod, ticksOf } from './settings';

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

/** `pos`, `end`: the bytes after the packet, in its record. `isAll`: no more bytes of it follow. Returns whether that sufficed. */
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
  let pos = first;
  let last = mtc;
  let delta = delta_;
  let cycles: u64 = 0;
  let cbr: u32 = 0;
  let busRatio = state.busRatio;
  let isBehindCyc = true;
  while (pos < end) {
    const byte = load<u8>(pos);
    if (isTnt(byte)) {
      pos++;
      isBehindCyc = false;
      continue;
    }
    if (isCyc(byte)) {
      if (pos + 2 <= end && !isLongCyc(pos)) {
        cycles += shortCyc(pos);
        pos += shortCycBytes(byte);
        isBehindCyc = true;
        continue;
      }
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
    const size = (byte & 0x1f) === TIP && byte >> 5 <= 4 ? 1 + ipBytes(byte >> 5) : sizeOf(pos, end);
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
