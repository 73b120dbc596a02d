/**
 * Packets with an address: TIP, TIP.PGE, TIP.PGD and FUP.
 */
import { estimatedTime, sampleTime } from '../clock';
import { fault } from '../events';
import { ERROR_BAD_PACKET, ERROR_OVERFLOW } from '../layout';
import { BEFORE_BOUND, BEFORE_OTHER, PHASE_ASYNC, PHASE_FIRST, PHASE_LOST, PHASE_WALK, state } from '../state';
import { moveTo, settle } from '../walk/position';
import {
  begin,
  beginAndEnd,
  beginAsync,
  beginNowhere,
  endAsync,
  jumpAsync,
  walkThrough,
  walkTo,
  walkToEnd,
} from '../walk/targets';
import { end, FUP, ipBytes, isAddress, isWhole, pos, skip, TIP, TIP_PGD, TIP_PGE } from './format';
import {
  breakAsync,
  breakPsb,
  dropsSecondAddress,
  leaveFirstPsb,
  leavePsb,
  lose,
  overflowInPsb,
  resume,
  takePsbAddress,
} from './psb';

/** Compressions with an address that needs no other: sign-extended, and all bytes. */
const SIGNED: u8 = 3;
const FULL: u8 = 6;

/** Returns whether to continue. */
export function takeAddress(byte: u8): bool {
  const bytes = ipBytes(byte >> 5);
  if (bytes < 0 || !isAddress(byte)) return badPacket();
  if (pos + 1 + bytes > end) return cutOff();
  const what = byte & 0x1f;
  if (state.isInPsb && what === FUP && dropsSecondAddress()) {
    readAddress(byte);
    return true;
  }
  if (state.isInPsb && what !== FUP && !breakPsb(false)) {
    skip(1 + bytes);
    state.before = BEFORE_OTHER;
    return true;
  }
  const isBound = state.before === BEFORE_BOUND;
  const isKnown = readAddress(byte);
  const ip = isKnown ? state.lastIp : 0;
  if (what === TIP) takeTip(isKnown, ip);
  else if (what === TIP_PGE) takeBegin(isKnown, ip);
  else if (what === TIP_PGD) takeEnd(isKnown, ip);
  else if (state.isInPsb) takePsbFup(byte >> 5, isKnown, ip);
  else if (isBound && state.phase === PHASE_WALK) takeBoundFup(isKnown, ip);
  else takeFup(isKnown, ip);
  return true;
}

/** Reads the packet: the address is the last one then. Returns false if it has none, or is relative to one that is unknown. */
export function readAddress(byte: u8): bool {
  const at = pos + 1;
  skip(1 + ipBytes(byte >> 5));
  state.before = BEFORE_OTHER;
  return addressAt(byte, at);
}

/** The same, of a packet whose address is in memory at `at`. */
export function addressAt(byte: u8, at: usize): bool {
  const compression = byte >> 5;
  if (compression === 0) return false;
  if (compression === SIGNED || compression === FULL) state.hasLastIp = true;
  if (state.hasLastIp) state.lastIp = expand(compression, at, state.lastIp);
  return state.hasLastIp;
}

function expand(compression: u8, at: usize, last: u64): u64 {
  if (compression === 1) return (last & ~0xffff) | load<u16>(at);
  if (compression === 2) return (last & ~0xffffffff) | load<u32>(at);
  if (compression === FULL) return load<u64>(at);
  const low = <u64>load<u32>(at) | ((<u64>load<u16>(at, 4)) << 32);
  return compression === SIGNED ? <u64>(((<i64>low) << 16) >> 16) : (last & ~0xffffffffffff) | low;
}

/** As perf does: relative to the address before the PSB. The CPU writes the whole address. */
function takePsbFup(compression: u8, isKnown: bool, ip: u64): void {
  const isWhole = compression === SIGNED || compression === FULL;
  const kept: u64 = compression === 1 ? 0xffff : compression === 2 ? 0xffffffff : 0xffffffffffff;
  const isRelative = !isWhole && !state.psbHasIp;
  takePsbAddress(isKnown, isRelative ? (state.lastIpBeforePsb & ~kept) | (ip & kept) : ip, isWhole);
}

function takeTip(isKnown: bool, ip: u64): void {
  if (state.phase === PHASE_WALK) {
    const error = walkTo(isKnown, ip);
    settle();
    if (error !== 0) lose(error);
  } else if (state.phase === PHASE_ASYNC) jumpAsync(isKnown, ip);
  else if (state.phase === PHASE_LOST) {
    state.isTracing = true;
    resume(isKnown, ip);
  } else if (isKnown) {
    moveTo(ip);
    state.phase = PHASE_WALK;
  }
}

function takeBegin(isKnown: bool, ip: u64): void {
  state.isBehindOverflow = false;
  state.isTracing = true;
  if (state.phase === PHASE_LOST) return resume(isKnown, ip);
  if (state.phase === PHASE_ASYNC && ip === 0) return beginNowhere();
  if (!isKnown) return;
  sampleTime();
  if (state.phase === PHASE_ASYNC) beginAsync(ip, estimatedTime());
  else begin(ip, estimatedTime());
}

function takeEnd(isKnown: bool, ip: u64): void {
  if (state.phase === PHASE_WALK) {
    const error = walkToEnd(ip);
    if (error !== 0) return lose(error);
  } else if (state.phase === PHASE_ASYNC) endAsync(ip);
  else if (state.phase === PHASE_LOST) {
    const at = isKnown ? ip : state.ip;
    sampleTime();
    if (at !== 0) beginAndEnd(0, at, estimatedTime());
  }
  state.isTracing = false;
}

/** Directly after a packet of an event: where that was, not an interrupt. */
function takeBoundFup(isKnown: bool, ip: u64): void {
  if (!isKnown) return;
  state.isBehindOverflow = false;
  if (state.isTracing) {
    const error = walkThrough(ip);
    if (error !== 0) return lose(error);
  } else moveTo(ip);
  sampleTime();
}

function takeFup(isKnown: bool, ip: u64): void {
  breakAsync();
  if (state.phase === PHASE_LOST) return resume(isKnown, ip);
  if (!isKnown) return;
  if (state.phase === PHASE_FIRST) state.phase = PHASE_WALK;
  if (state.isBehindOverflow) {
    state.isBehindOverflow = false;
    state.isTracing = true;
    sampleTime();
    begin(ip, estimatedTime());
  } else if (!state.isTracing) moveTo(ip);
  else {
    const error = walkThrough(ip);
    if (error === 0) state.phase = PHASE_ASYNC;
    else lose(error);
  }
}

// Packets that are none, and overflows: trace is missing.

/** The last packet is not all there: as perf does, a bad one if no more comes. Returns whether to continue. */
export function cutOff(): bool {
  return isWhole ? badPacket() : false;
}

/** A packet with a time that cannot be: an error, but the walk goes on. */
export function badTime(): void {
  sampleTime();
  fault(ERROR_BAD_PACKET, state.ip, estimatedTime());
}

/** No packet begins here: decoding continues at the next byte. */
export function badPacket(): bool {
  skip(1);
  if (state.phase === PHASE_FIRST) leaveFirstPsb(false);
  let isUnknown = false;
  if (state.isInPsb) {
    if (state.phase === PHASE_WALK) {
      if (leavePsb()) return true; // as perf does: one error, that of the address
    } else {
      if (state.setsTimeInPsb) state.instructions = 0;
      isUnknown = !state.hadLastIpBeforePsb;
    }
  }
  state.hasTma = false;
  state.before = BEFORE_OTHER;
  sampleTime();
  fault(ERROR_BAD_PACKET, state.ip, estimatedTime());
  if (state.phase === PHASE_ASYNC) state.phase = PHASE_WALK;
  else if (state.phase === PHASE_LOST) state.isInPsb = false;
  if (isUnknown) {
    state.hasLastIp = false;
    state.lastIp = 0;
    moveTo(0);
  }
  return true;
}

export function overflow(): void {
  const isReported = state.isInPsb && state.phase === PHASE_WALK && overflowInPsb();
  state.isInPsb = false;
  state.isBehindOverflow = !isReported;
  sampleTime();
  state.instructions = 0;
  if (!isReported) fault(ERROR_OVERFLOW, state.ip, state.time);
  state.phase = isReported ? PHASE_LOST : PHASE_WALK;
  state.isTracing = false;
  state.hasLastIp = true;
  moveTo(0);
}
