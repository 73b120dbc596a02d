/**
 * Reads packets one after another, and passes each to what it concerns: the clock, or the walk.
 */
import {
  eventTime,
  insteadOfTsc,
  isEarly,
  isLate,
  isOdd,
  sampleTime,
  takeCbr,
  takeCyc,
  takeMtc,
  takeTma,
  takeTsc,
  timeOfCyc,
  timeOfNextMtc,
  timeOfTsc,
} from '../clock';
import { countFrom, passTo } from '../events';
import { ERROR_MISMATCH } from '../layout';
import { markAddress, markMtc, mustStop } from '../parts';
import {
  BEFORE_BOUND,
  BEFORE_CYC,
  BEFORE_OTHER,
  PHASE_ASYNC,
  PHASE_SEARCH,
  PHASE_TARGET,
  PHASE_WALK,
  state,
} from '../state';
import { walkBits } from '../walk/bits';
import { settle } from '../walk/position';
import { missTarget, walkTo } from '../walk/targets';
import { badPacket, badTime, cutOff, overflow, readAddress, takeAddress } from './addresses';
import { Ahead } from './ahead';
import * as format from './format';
import {
  BAD,
  bytesConsumed,
  canSeeMore,
  end,
  enterRecord,
  enterWindow,
  isStreamEnd,
  isWhole,
  NO_TSC,
  nextTsc,
  offsetAt,
  pos,
  recordReference,
  sizeOf,
  skip,
  TIP,
  UNDECIDED_TSC,
  windowEnd,
} from './format';
import { takeFrequent } from './frequent';
import {
  beginPsb,
  beginsSoon,
  breakAsync,
  breakPsb,
  cutPsb,
  endPsb,
  leavePsb,
  lose,
  searchPsb,
  UNDECIDED,
} from './psb';

/** The longest packet. */
const MAX_PACKET_BYTES: usize = 16;

/** Decodes a window of the stream; returns how many bytes of it were used up. */
export function decodeWindow(start: usize, bytes: usize, offset: u64, last: bool): usize {
  enterWindow(start, bytes, offset, last);
  Ahead.forget();
  while (pos < windowEnd) {
    enterRecord();
    decodeRecord();
    if (pos === end && isWhole) cutPsb();
    if (pos < end || mustStop(offsetAt(pos))) break;
  }
  if (isStreamEnd()) endStream();
  return bytesConsumed();
}

function decodeRecord(): void {
  while (pos < end && (isWhole || end - pos >= MAX_PACKET_BYTES)) {
    const start = pos;
    takeFrequent();
    if (pos === start && !takePacket()) break;
    if (mustStop(offsetAt(pos))) break;
  }
}

/** The trace ends within PSB+. */
function endStream(): void {
  if (state.isInPsb && state.phase === PHASE_WALK) leavePsb();
}

/** Returns false if more bytes are needed. */
function takePacket(): bool {
  if (state.phase === PHASE_SEARCH) return searchPsb();
  const byte = load<u8>(pos);
  if (byte === 0) {
    skip(1);
    return true;
  }
  if (state.phase === PHASE_TARGET) return takeTarget();
  if (format.isCyc(byte)) return takeCycPacket();
  if (format.isTnt(byte)) {
    skip(1);
    takeTnt(byte >> 1);
    return true;
  }
  if (byte === 2) return takeExtended();
  if (byte === format.MTC) return takeMtcPacket();
  if (byte === format.TSC) return takeTscPacket();
  if (byte === format.MODE) return takeMode();
  if (!takeAddress(byte)) return false;
  markAddress(offsetAt(pos));
  return true;
}

function takeCycPacket(): bool {
  const value = format.readCyc(pos, end);
  if (format.cycBytes === 0) return cutOff();
  if (format.cycBytes > format.MAX_CYC_BYTES) return badPacket();
  const isBad = isOdd(timeOfCyc(value)) && isLate(timeOfCyc(value), NO_TSC);
  skip(format.cycBytes);
  takeCyc(isBad ? 0 : value, offsetAt(pos));
  state.before = BEFORE_CYC;
  if (isBad) badTime();
  return true;
}

function takeMtcPacket(): bool {
  if (pos + 2 > end) return cutOff();
  const mtc = load<u8>(pos + 1);
  const time = timeOfNextMtc(mtc);
  const next = isOdd(time) ? nextTsc(pos + 2) : NO_TSC;
  if (next === UNDECIDED_TSC) return false;
  if (next !== NO_TSC && isLate(time, next)) {
    skip(2);
    state.before = BEFORE_OTHER;
    badTime();
    return true;
  }
  if (!takeMtc(mtc, pos + 2, end, !canSeeMore())) return false;
  skip(2);
  state.before = BEFORE_OTHER;
  markMtc(offsetAt(pos));
  return true;
}

function takeTscPacket(): bool {
  if (pos + 8 > end) return cutOff();
  const low = load<u64>(pos) >> 8;
  const next = state.firstReference !== 0 || isOdd(timeOfTsc(low)) ? nextTsc(pos + 8) : NO_TSC;
  if (next === UNDECIDED_TSC) return false;
  const isBad = (isOdd(timeOfTsc(low)) && isLate(low, next)) || isEarly(low);
  breakAsync();
  takeTsc(isBad ? insteadOfTsc(next) : low, recordReference());
  skip(8);
  state.before = BEFORE_OTHER;
  if (isBad) badTime();
  return true;
}

const TSX_ABORT: u8 = 2;

function takeMode(): bool {
  if (pos + 2 > end) return cutOff();
  const mode = load<u8>(pos + 1);
  if (!format.isMode(mode)) return badPacket();
  skip(2);
  const isTsx = mode >> 5 !== 0;
  if (isTsx) breakAsync();
  const isAbort = isTsx && (mode & TSX_ABORT) !== 0; // its FUP and TIP are those of an interrupt
  state.before = isAbort || (isTsx && state.isBehindOverflow) ? BEFORE_OTHER : BEFORE_BOUND;
  return true;
}

/** Packets that begin with 02. */
function takeExtended(): bool {
  const size = format.sizeOf(pos, end);
  if (size === format.BAD) return badPacket();
  if (size === format.CUT) return cutOff();
  const at = pos;
  const what = load<u8>(at + 1);
  if (what === format.PSBEND) return takePsbEnd();
  skip(size);
  state.before = BEFORE_OTHER;
  switch (what) {
    case format.PSB:
      breakAsync();
      beginPsb();
      return true;
    case format.LONG_TNT:
      takeTnt(load<u64>(at) >> 16);
      return true;
    case format.CBR:
      takeCbrPacket(load<u8>(at + 2));
      return true;
    case format.TMA:
      breakAsync();
      takeTma(load<u16>(at + 2), <u32>load<u16>(at + 5) & 0x1ff);
      return true;
    case format.TRACE_STOP:
      breakBefore(what);
      state.hasTma = false;
      state.isTracing = false;
      return true;
    case format.OVF:
      overflow();
      return true;
    default:
      takeEventPacket(at, what);
      return true;
  }
}

function takePsbEnd(): bool {
  const begins = state.isInPsb && state.psbHasIp && !state.isPsbCut ? beginsSoon(pos + 2) : 0;
  if (begins === UNDECIDED) return false;
  skip(2);
  state.before = BEFORE_OTHER;
  breakAsync();
  endPsb(begins !== 0);
  return true;
}

/** A packet of an event ends PSB+, and what a FUP began. Returns whether it is to be taken. */
function breakBefore(what: u8): bool {
  breakAsync();
  return !state.isInPsb || breakPsb(what === format.TRACE_STOP);
}

function takeCbrPacket(cbr: u32): void {
  if (!takeCbr(cbr)) return;
  countFrom(state.time);
  passToTime();
}

/** As perf does: a packet that has an event of its own sets the time of branches. */
function passToTime(): void {
  if (state.phase !== PHASE_WALK || state.isInPsb) return;
  sampleTime();
  passTo(eventTime());
}

/** Power events, PTWRITE, PEBS and the like: only what they do to the walk. With an address, the next FUP has it. */
function takeEventPacket(at: usize, what: u8): void {
  if (what === format.PIP || what === format.VMCS || what === format.MNT) return;
  if (!breakBefore(what)) return;
  let hasIp = false;
  if (what === format.CFE) hasIp = load<u8>(at + 2) >> 7 !== 0;
  else if (format.isPtwrite(what)) hasIp = what >> 7 !== 0;
  else hasIp = what === format.EXSTOP_IP || what === format.BEP_IP || what === format.MWAIT;
  if (hasIp) state.before = BEFORE_BOUND;
  else if (what !== format.CFE && what !== format.EVD) passToTime();
}

// TNT packets, and the TIP packets that belong between their bits.

/** `bits`: the branches, the first one highest, below a bit that is set. */
function takeTnt(bits: u64): void {
  if (bits === 0) return; // as perf does: a long one without any
  state.before = BEFORE_OTHER;
  if (state.isInPsb && !breakPsb(true)) return;
  if (state.phase === PHASE_WALK) walkOn(bits, 63 - <i32>clz<u64>(bits));
  else if (state.phase === PHASE_ASYNC) lose(ERROR_MISMATCH);
}

function walkOn(bits: u64, count: i32): void {
  const error = walkBits(bits, count);
  if (error !== 0) lose(error);
}

/**
 * Bits are left and the walk is at an indirect branch: the next packet must be a TIP with an address. After a bad packet, as
 * perf does, they wait on.
 */
function takeTarget(): bool {
  if (sizeOf(pos, end) <= BAD) {
    missTarget();
    return badPacket();
  }
  const bits = state.waitingBits;
  const count = state.waitingCount;
  state.waitingBits = 0;
  state.waitingCount = 0;
  state.phase = PHASE_WALK;
  const byte = load<u8>(pos);
  if ((byte & 0x1f) !== TIP || byte >> 5 === 0) {
    lose(missTarget());
    return true;
  }
  const isKnown = readAddress(byte);
  const error = walkTo(isKnown, state.lastIp, true);
  settle();
  if (error !== 0) lose(error);
  else walkOn(bits, count);
  return true;
}
