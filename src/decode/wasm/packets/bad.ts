/**
 * Packets that are none, and overflows: trace is missing.
 */
import { estimatedTime } from '../clock/clock';
import { fault } from '../events';
import { ERROR_BAD_PACKET, ERROR_OVERFLOW } from '../layout';
import { BEFORE_OTHER, PHASE_ASYNC, PHASE_FIRST, PHASE_LOST, PHASE_WALK, state } from '../state';
import { moveTo } from '../walk/position';
import { isWhole, skip } from './input';
import { leaveFirstPsb, leavePsb, overflowInPsb } from './psb';

/** The last packet is not all there: as perf does, a bad one if no more comes. Returns whether to continue. */
export function cutOff(): bool {
  return isWhole ? badPacket() : false;
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
  state.sampleTime = state.time;
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
  state.sampleTime = state.time;
  state.instructions = 0;
  if (!isReported) fault(ERROR_OVERFLOW, state.ip, state.time);
  state.phase = isReported ? PHASE_LOST : PHASE_WALK;
  state.isTracing = false;
  state.hasLastIp = true;
  moveTo(0);
}
