/**
 * PSB+: the packets from PSB to PSBEND, which repeat the state of the CPU; the search for the first one; and errors,
 * and how decoding continues after them.
 */
import { estimatedTime, estimatedTimeAt, nextEventTime, sampleTime } from '../clock';
import { fault, passTo } from '../events';
import { ERROR_MISMATCH, ERROR_NO_CODE } from '../layout';
import { passPsb } from '../parts';
import { BEFORE_OTHER, PHASE_ASYNC, PHASE_FIRST, PHASE_LOST, PHASE_WALK, state } from '../state';
import { clearReturns } from '../walk/direct';
import { moveTo } from '../walk/position';
import { begin, walkThrough } from '../walk/targets';
import {
  BAD,
  canSeeMore,
  end,
  FUP,
  hasWholeStream,
  isPsb,
  isTnt,
  LONG_TNT,
  OVF,
  offsetAt,
  PSB,
  pos,
  sizeOf,
  skip,
  TIP,
  TIP_PGD,
  TIP_PGE,
  TRACE_STOP,
  windowEnd,
} from './format';

/**
 * Goes past the last PSB of a run of pairs: `02 82` may precede it by chance. As perf does: it may begin in one record and end
 * in the next. Returns false if more bytes are needed.
 */
export function searchPsb(): bool {
  while (pos < end) {
    if (windowEnd - pos < 18 && !hasWholeStream()) return false;
    if (load<u8>(pos) === 2 && isPsb(pos, windowEnd)) {
      if (pos + 18 > windowEnd || load<u16>(pos, 16) !== 0x8202) {
        state.phase = PHASE_FIRST;
        skip(16);
        beginPsb();
        return true;
      }
      skip(2);
    } else skip(1);
  }
  return true;
}

/** As perf does: within PSB+ it ends that; it is dropped if that is an error. */
export function beginPsb(): void {
  passPsb(offsetAt(pos - 16));
  if (state.isInPsb && state.phase === PHASE_WALK && leavePsb()) return;
  if (state.isInPsb && state.setsTimeInPsb) state.instructions = 0;
  state.lastIpBeforePsb = state.phase === PHASE_WALK ? state.lastIp : 0;
  if (!state.isInPsb) state.hadLastIpBeforePsb = state.hasLastIp;
  state.lastIp = 0;
  state.hasLastIp = true;
  state.isInPsb = true;
  state.timeBeforePsb = state.time;
  state.cbrBeforePsb = state.cbr;
  state.setsTimeInPsb = false;
  state.isPsbCut = false;
  state.psbHasFup = false;
  state.psbHasIp = false;
  if (state.phase !== PHASE_WALK) clearReturns();
}

/** A FUP within PSB+: where the program is. */
export function takePsbAddress(isKnown: bool, ip: u64, isWholeIp: bool): void {
  state.psbHasFup = true;
  if (!isKnown) return;
  state.psbHasIp = true;
  state.psbIp = ip;
  state.psbIpIsWhole = isWholeIp;
  state.timeAtPsbIp = state.time;
  state.setsTimeBeforePsbIp = state.setsTimeInPsb;
  state.cbrAtPsbIp = state.cbr;
  if (state.phase !== PHASE_LOST) return;
  state.isTracing = true;
  moveTo(ip);
}

/** A record ends. As perf does: PSB+ goes on in the next one, but not the search for its address, and for what follows it. */
export function cutPsb(): void {
  state.isPsbCut = state.isInPsb;
}

/** A second FUP while the walk goes on. As perf does: it is dropped, if the walk reaches the first one. */
export function dropsSecondAddress(): bool {
  if (!(state.psbHasFup || state.isPsbCut) || state.phase !== PHASE_WALK) return false;
  state.isInPsb = isPsbIpReached();
  return state.isInPsb;
}

/** PSBEND. `begins`: tracing begins soon after it, so it was off, and the address is not the program's. */
export function endPsb(begins: bool): void {
  if (!state.isInPsb) return;
  state.isInPsb = false;
  if (state.psbHasIp && !begins) {
    const error = state.phase === PHASE_WALK ? walkThrough(state.psbIp) : 0;
    if (error !== 0) return resumeInPsb(error);
    moveTo(state.psbIp);
    state.isTracing = true;
  }
  clearReturns();
  state.sampleTime = state.tscTime;
  if (state.setsTimeInPsb) state.instructions = 0;
  state.lastEventTime = state.phase === PHASE_LOST ? estimatedTime() : nextEventTime(); // as perf does: back after a loss
  if (state.phase === PHASE_FIRST || state.ip !== 0) state.phase = PHASE_WALK;
  else if (state.phase === PHASE_LOST) state.hasLastIp = state.hadLastIpBeforePsb;
  passTo(state.sampleTime);
}

/** Packets that are looked at after PSBEND. */
const PACKETS_AHEAD = 6;
/** Of `beginsSoon`: more bytes are needed. */
export const UNDECIDED = -1;

/** As perf does: whether a TIP.PGE is one of the next six packets, before any other that concerns the program. */
export function beginsSoon(first: usize): i32 {
  let at = first;
  let packets = 0;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte === 0) {
      at++;
      continue;
    }
    if (packets++ === PACKETS_AHEAD) return 0;
    const size = sizeOf(at, end);
    if (size <= BAD) return 0;
    const what = byte & 0x1f;
    if (what === TIP_PGE) return byte >> 5 !== 0 ? 1 : 0;
    if (isTnt(byte) || what === TIP || what === TIP_PGD || what === FUP) return 0;
    if (byte === 2 && endsLookAhead(load<u8>(at + 1))) return 0;
    at += size;
  }
  return canSeeMore() ? UNDECIDED : 0;
}

function endsLookAhead(second: u8): bool {
  return second === OVF || second === LONG_TNT || second === TRACE_STOP || second === PSB;
}

/** What does not belong in the first PSB+ ends it. As perf does: the walk begins at its address, or nowhere. */
export function leaveFirstPsb(isLost: bool): void {
  state.isInPsb = false;
  if (isLost) state.hasTma = false;
  if (state.psbHasIp) {
    moveTo(state.psbIp);
    state.isTracing = true;
  }
  state.phase = isLost && !state.psbHasIp ? PHASE_LOST : PHASE_WALK;
}

/**
 * A packet within PSB+ that does not belong there. As perf does: the walk takes what came as ordinary packets; after a loss
 * it is a mismatch. `walksOn`: a TNT or TraceStop, which the walk then goes on from. Returns whether the packet is to be taken.
 */
export function breakPsb(walksOn: bool): bool {
  state.isInPsb = false;
  if (state.phase === PHASE_FIRST) {
    leaveFirstPsb(walksOn);
    return false;
  }
  if (state.phase === PHASE_LOST) return breakLost(walksOn);
  return !leavePsb();
}

function breakLost(walksOn: bool): bool {
  if (state.setsTimeInPsb) state.instructions = 0;
  lose(ERROR_MISMATCH);
  state.hasLastIp = walksOn || state.hadLastIpBeforePsb;
  if (walksOn) {
    state.hasTma = false;
    if (state.ip !== 0) state.phase = PHASE_WALK;
  } else if (!state.hadLastIpBeforePsb) {
    state.lastIp = 0;
    moveTo(0);
  }
  return false;
}

/**
 * PSB+ without an end: as perf does, what came of it are ordinary packets; the walk may reach the FUP, but there is no TIP.
 * Returns whether that is so.
 */
export function leavePsb(): bool {
  if (!isPsbIpReached()) return false;
  state.hasTma = false;
  if (state.psbHasIp) lose(ERROR_MISMATCH);
  return state.psbHasIp;
}

/** An overflow ends PSB+: as perf does, it is not told if the walk reaches the FUP; that is a mismatch. */
export function overflowInPsb(): bool {
  if (!isPsbIpReached() || !state.psbHasIp) return false;
  moveTo(0);
  state.instructions = 0;
  lose(ERROR_MISMATCH);
  return true;
}

/** Or there is none. If not, the walk begins at it, if it can. */
function isPsbIpReached(): bool {
  state.isInPsb = false;
  const error = state.psbHasIp ? walkThrough(state.psbIp) : 0;
  if (error !== 0) {
    resumeInPsb(error);
    return false;
  }
  clearReturns();
  if (state.setsTimeInPsb) state.instructions = 0;
  return true;
}

/** As perf does: the FUP that the walk did not reach is read once more, and begins if its address needs no other. */
function resumeInPsb(error: u32): void {
  state.sampleTime = state.timeBeforePsb; // the error is one of the time before
  loseAt(error, estimatedTimeAt(state.cbrBeforePsb));
  if (state.setsTimeBeforePsbIp) state.instructions = 0;
  if (!state.psbIpIsWhole && error === ERROR_NO_CODE) return;
  state.lastIp = state.psbIp;
  state.hasLastIp = true;
  state.sampleTime = state.timeAtPsbIp;
  if (state.psbIp !== 0) begin(state.psbIp, estimatedTimeAt(state.cbrAtPsbIp));
  if (state.setsTimeInPsb) state.instructions = 0;
}

// Errors, and how decoding continues after them.

/** An error: the walk continues at the next address that a packet has. */
export function lose(code: u32): void {
  sampleTime();
  loseAt(code, estimatedTime());
}

export function loseAt(code: u32, tick: u64): void {
  fault(code, state.ip, tick);
  state.phase = PHASE_LOST;
  state.isBehindOverflow = false;
  if (code === ERROR_NO_CODE) {
    moveTo(0);
    state.lastIp = 0;
    state.hasLastIp = false;
  }
}

/** Between a FUP and its TIP only few packets may come. */
export function breakAsync(): void {
  if (state.phase !== PHASE_ASYNC) return;
  lose(ERROR_MISMATCH);
  state.before = BEFORE_OTHER;
}

/** After an error: begins at the address of a packet, or where the walk was. */
export function resume(isKnown: bool, ip: u64): void {
  const at = isKnown ? ip : state.ip;
  if (at === 0) return;
  sampleTime();
  begin(at, estimatedTime());
}
